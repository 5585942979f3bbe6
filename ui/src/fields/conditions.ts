import type { Attribute } from '../api/types'

type Rule = unknown

/** Tell whether a condition of the schema (JSON logic) lets an attribute show. */
export function isVisible(attribute: Attribute, values: Record<string, unknown>): boolean {
  const rule = attribute.conditions?.visible
  return rule === undefined || Boolean(evaluate(rule, values))
}

/** The attributes that do not show with some values. */
export const hiddenNames = (attributes: Record<string, Attribute>, values: Record<string, unknown>): string[] =>
  Object.keys(attributes).filter((name) => !isVisible(attributes[name]!, values))

function evaluate(rule: Rule, values: Record<string, unknown>): unknown {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return rule
  const [operator] = Object.keys(rule)
  if (!operator) return true
  const given = (rule as Record<string, unknown>)[operator]
  const operands = Array.isArray(given) ? given : [given]
  if (operator === 'var') return values[String(operands[0])] ?? null
  const [a, b] = operands.map((one) => evaluate(one, values))
  switch (operator) {
    case '==':
    case '===':
      return a === b
    case '!=':
    case '!==':
      return a !== b
    case '!':
      return !a
    case 'and':
      return operands.every((one) => Boolean(evaluate(one, values)))
    case 'or':
      return operands.some((one) => Boolean(evaluate(one, values)))
    // A condition that this UI does not know hides nothing.
    default:
      return true
  }
}
