import type { QueryValue } from '../../api/query'
import type { Status } from '../../api/types'

/** One comparison: the path of an attribute (through relations and components), an operator, a value. */
export type FilterRule = {
  field: string[]
  op: string
  value?: string | string[]
  /** The operand of an operator of the project's code that takes several values, by name. */
  operand?: Record<string, string | string[]>
}
/** Rules and groups that all hold, or of which one holds. */
export type FilterGroup = { all: boolean; items: FilterItem[] }
export type FilterItem = FilterRule | FilterGroup

export const isGroup = (item: FilterItem): item is FilterGroup => 'items' in item

export const isStatus = (value: unknown): value is Status => value === 'draft' || value === 'modified' || value === 'published'

/** Tell whether a value of the address is a filter, so that a mistyped one does no harm. */
export function isFilterTree(value: unknown): value is FilterGroup {
  if (typeof value !== 'object' || value === null) return false
  const { all, items } = value as { all?: unknown; items?: unknown }
  return typeof all === 'boolean' && Array.isArray(items) && items.every((item) => isRule(item) || isFilterTree(item))
}

function isRule(value: unknown): value is FilterRule {
  if (typeof value !== 'object' || value === null) return false
  const { field, op, value: operand, operand: named } = value as Record<string, unknown>
  return (
    Array.isArray(field) &&
    field.length > 0 &&
    field.every((step) => typeof step === 'string') &&
    typeof op === 'string' &&
    op.startsWith('$') &&
    (operand === undefined || isText(operand)) &&
    (named === undefined || (typeof named === 'object' && named !== null && Object.values(named).every(isText)))
  )
}

const isText = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))

const WITHOUT_VALUE = new Set(['$null', '$notNull'])
const OF_TWO = new Set(['$between'])

/** A rule without the value that it needs is left out until it has one. */
export function isComplete(rule: FilterRule): boolean {
  if (WITHOUT_VALUE.has(rule.op)) return true
  if (rule.operand) return Object.values(rule.operand).some((value) => value.length > 0)
  if (OF_TWO.has(rule.op)) return Array.isArray(rule.value) && rule.value.length === 2 && rule.value.every(Boolean)
  return rule.value !== undefined && rule.value.length > 0
}

/** Return the `filters` of a request, undefined where nothing is filtered. */
export function encodeFilters(group: FilterGroup | undefined): { [key: string]: QueryValue } | undefined {
  if (!group) return undefined
  const parts = group.items
    .map((item) => (isGroup(item) ? encodeFilters(item) : isComplete(item) ? encodeRule(item) : undefined))
    .filter((part) => part !== undefined)
  if (parts.length === 0) return undefined
  return { [group.all ? '$and' : '$or']: parts }
}

/** The values of an operand that have been entered. */
function given(operand: FilterRule['operand']): { [key: string]: QueryValue } | undefined {
  return operand && Object.fromEntries(Object.entries(operand).filter(([, value]) => value.length > 0))
}

function encodeRule(rule: FilterRule): { [key: string]: QueryValue } {
  const operand: QueryValue = WITHOUT_VALUE.has(rule.op) ? true : (given(rule.operand) ?? rule.value ?? '')
  return rule.field.reduceRight<{ [key: string]: QueryValue }>((inner, step) => ({ [step]: inner }), {
    [rule.op]: operand,
  })
}

/** How many complete rules a filter has. */
export function countRules(group: FilterGroup | undefined): number {
  if (!group) return 0
  return group.items.reduce(
    (sum, item) => sum + (isGroup(item) ? countRules(item) : isComplete(item) ? 1 : 0),
    0,
  )
}
