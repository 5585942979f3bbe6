import type { Model } from '../../api/hooks'
import type { Attribute, ContentType, Entry } from '../../api/types'
import { fieldTypeOf } from '../../fields/registry'
import type { ReplayContext } from '../../fields/types'
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

const isCount = (value: object) => Object.keys(value).length === 1 && 'count' in value

/**
 * Let what the server has after a save keep what only the form knows: the keys of parts, so that lists and fields
 * stay as they are, and the entries of a relation.
 */
export function withFormState(fresh: unknown, before: unknown): unknown {
  if (Array.isArray(fresh)) return fresh.map((one, index) => withFormState(one, Array.isArray(before) ? before[index] : undefined))
  if (typeof fresh !== 'object' || fresh === null) return fresh
  const known = typeof before === 'object' && before !== null ? (before as Values) : {}
  if (isCount(fresh)) {
    const { count } = fresh as { count?: number }
    return Array.isArray(known.items) && known.items.length === count ? { count, items: known.items, original: known.items } : fresh
  }
  if (!('__key' in fresh)) return fresh
  const isSame = known.__component === (fresh as Values).__component
  return Object.fromEntries(
    Object.entries(fresh).map(([name, value]) => [
      name,
      name === '__key' && isSame && known.__key ? known.__key : withFormState(value, isSame ? known[name] : undefined),
    ]),
  )
}

/** All parts in some values, by their keys. */
export function partsByKey(values: unknown, found = new Map<string, Values>()): Map<string, Values> {
  if (Array.isArray(values)) for (const one of values) partsByKey(one, found)
  else if (typeof values === 'object' && values !== null) {
    if ('__key' in values) found.set(String(values.__key), values as Values)
    for (const inner of Object.values(values)) if (typeof inner === 'object') partsByKey(inner, found)
  }
  return found
}

/** Bring an earlier value of an attribute up to date with the saved ones, see `Replay`. */
export function replay(value: unknown, attribute: Attribute, model: Model, current: unknown, parts: Map<string, Values>): { value: unknown } | null {
  const { replay: own } = fieldTypeOf(attribute)
  return own ? own(value, attribute, { model, current, parts }) : { value }
}

/** An earlier state of a part with the id that the part has now, without an id where the server has it no more. */
export function replayPart(part: Values, uid: string, { model, parts }: Pick<ReplayContext, 'model' | 'parts'>): { value: Values } | null {
  const stored = parts.get(String(part.__key))
  const next: Values = { ...part }
  if (stored?.id === undefined) delete next.id
  else next.id = stored.id
  for (const [name, attribute] of editable(model.components.get(uid)?.attributes ?? {})) {
    const found = replay(part[name], attribute, model, stored?.[name], parts)
    if (!found) return null
    next[name] = found.value
  }
  return { value: next }
}

export function replayParts(parts: Values[], uidOf: (part: Values) => string, context: ReplayContext): { value: Values[] } | null {
  const value: Values[] = []
  for (const part of parts) {
    const found = replayPart(part, uidOf(part), context)
    if (!found) return null
    value.push(found.value)
  }
  return { value }
}
