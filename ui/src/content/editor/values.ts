import type { Model } from '../../api/hooks'
import type { Attribute, ContentType, Entry } from '../../api/types'
import { fieldTypeOf } from '../../fields/registry'
import type { Values } from './store'

/** Names that no form shows: the server sets them, or they are no attributes of the schema. */
const SYSTEM = new Set([
  'id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations', 'status',
])

/** The attributes of a type or component that a form may show. */
export function editable(attributes: Record<string, Attribute>): [string, Attribute][] {
  return Object.entries(attributes).filter(
    ([name, attribute]) => !SYSTEM.has(name) && attribute.visible !== false && attribute.writable !== false,
  )
}

let lastKey = 0
export const newKey = (): string => `part-${(lastKey += 1)}`

/** The values of a form for what the server has of an entry: parts get keys, so that lists know them. */
export function valuesOf(entry: Partial<Entry>, type: ContentType, model: Model): Values {
  return Object.fromEntries(
    editable(type.attributes).map(([name, attribute]) => [name, withKeys(entry[name], attribute, model)]),
  )
}

function withKeys(value: unknown, attribute: Attribute, model: Model): unknown {
  if (attribute.type === 'component' && value) {
    return Array.isArray(value)
      ? value.map((part) => partWithKeys(part as Values, attribute.component, model))
      : partWithKeys(value as Values, attribute.component, model)
  }
  if (attribute.type === 'dynamiczone' && Array.isArray(value)) {
    return value.map((part) => partWithKeys(part as Values, (part as { __component?: string }).__component, model))
  }
  return value
}

function partWithKeys(part: Values, uid: string | undefined, model: Model): Values {
  const attributes = (uid && model.components.get(uid)?.attributes) || {}
  const inner = Object.fromEntries(
    editable(attributes).map(([name, attribute]) => [name, withKeys(part[name], attribute, model)]),
  )
  return { ...part, ...inner, __key: newKey() }
}

/** The values of a form for an entry that is new. */
export function initialValues(attributes: Record<string, Attribute>, model: Model): Values {
  return Object.fromEntries(
    editable(attributes).map(([name, attribute]) => {
      if (attribute.default !== undefined && attribute.default !== null) return [name, attribute.default]
      return [name, fieldTypeOf(attribute).initial?.(attribute, model) ?? null]
    }),
  )
}

/** A part that is new. */
export function newPart(uid: string, model: Model, isInZone: boolean): Values {
  const attributes = model.components.get(uid)?.attributes ?? {}
  return { ...initialValues(attributes, model), ...(isInZone ? { __component: uid } : {}), __key: newKey() }
}

/** A part as the server takes it. */
export function serializePart(part: Values, uid: string, model: Model, isInZone: boolean): Values {
  const attributes = model.components.get(uid)?.attributes ?? {}
  const sent: Values = {}
  if (part.id !== undefined) sent.id = part.id
  if (isInZone) sent.__component = uid
  for (const [name, attribute] of editable(attributes)) {
    const value = serialize(part[name], attribute, model)
    if (value !== undefined) sent[name] = value
  }
  return sent
}

export function serialize(value: unknown, attribute: Attribute, model: Model): unknown {
  const { serialize: own } = fieldTypeOf(attribute)
  return own ? own(value, attribute, model) : value
}

/** The body of a request for some attributes. */
export function bodyOf(values: Values, names: Iterable<string>, type: ContentType, model: Model): Values {
  const body: Values = {}
  for (const name of names) {
    const attribute = type.attributes[name]
    if (!attribute) continue
    const value = serialize(values[name], attribute, model)
    if (value !== undefined) body[name] = value
  }
  return body
}

/** Let parts keep the keys that they had before they were saved, so that lists and fields stay as they are. */
export function withKeysOf(fresh: unknown, before: unknown): unknown {
  if (Array.isArray(fresh)) return fresh.map((one, index) => withKeysOf(one, Array.isArray(before) ? before[index] : undefined))
  if (typeof fresh !== 'object' || fresh === null || !('__key' in fresh)) return fresh
  const known = typeof before === 'object' && before !== null ? (before as Values) : {}
  const isSame = known.__component === (fresh as Values).__component
  return Object.fromEntries(
    Object.entries(fresh).map(([name, value]) => [
      name,
      name === '__key' && isSame && known.__key ? known.__key : withKeysOf(value, isSame ? known[name] : undefined),
    ]),
  )
}
