import type { Ability } from '../../api/permissions'
import { labelOf, type Model } from '../../api/hooks'
import type { Attribute, ContentType, ViewConfiguration } from '../../api/types'
import { fieldTypeOf } from '../../fields/registry'

/** Something that a filter may compare: where it is, how it is called, what it is. */
export type FilterField = { path: string[]; label: string; group: string | null; attribute: Attribute }

const SYSTEM: [string, Attribute][] = [
  ['createdAt', { type: 'datetime' }],
  ['updatedAt', { type: 'datetime' }],
  ['documentId', { type: 'string' }],
]
const HIDDEN = new Set(['id', 'createdBy', 'updatedBy', 'localizations', 'locale', 'publishedAt', 'documentId', 'createdAt', 'updatedAt'])

/** The attributes of a type that filters reach: its own, those of its components and of what it leads to. */
export function filterFields(type: ContentType, view: ViewConfiguration, model: Model, ability: Ability): FilterField[] {
  const own: FilterField[] = []
  const nested: FilterField[] = []
  for (const [name, attribute] of Object.entries(type.attributes)) {
    if (HIDDEN.has(name) || attribute.visible === false || !ability.canField('read', type.uid, name)) continue
    const label = labelOf(view, name, 'list')
    if (fieldTypeOf(attribute).filter) {
      own.push({ path: attribute.type === 'relation' ? [name, 'documentId'] : [name], label, group: null, attribute })
    }
    const inner =
      attribute.type === 'relation' && attribute.target
        ? ability.canContent('read', attribute.target)
          ? model.types.get(attribute.target)?.attributes
          : undefined
        : attribute.type === 'component' && attribute.component
          ? model.components.get(attribute.component)?.attributes
          : undefined
    for (const [step, one] of Object.entries(inner ?? {})) {
      if (HIDDEN.has(step) || one.type === 'relation' || one.visible === false || !fieldTypeOf(one).filter) continue
      if (attribute.target && !ability.canField('read', attribute.target, step)) continue
      nested.push({ path: [name, step], label: `${label}: ${labelOf(undefined, step)}`, group: label, attribute: one })
    }
  }
  const system = SYSTEM.map(([name, attribute]) => ({ path: [name], label: labelOf(view, name, 'list'), group: null, attribute }))
  return [...own, ...system, ...nested]
}

export const fieldKey = (path: readonly string[]): string => path.join('.')

/** The computed fields of the project's code, of which a list may have columns. */
export const computedFields = (type: ContentType, view: ViewConfiguration): string[] => Object.keys(view.metadatas).filter((name) => type.attributes[name] === undefined)

/** How the value of a column is shown: as one of its attribute, or, of a computed field, as what it is. */
export function columnAttribute(type: ContentType, name: string, value: unknown): Attribute {
  const computed = typeof value === 'boolean' ? 'boolean' : typeof value === 'number' ? 'decimal' : typeof value === 'object' && value !== null ? 'json' : 'string'
  return type.attributes[name] ?? { type: computed }
}
