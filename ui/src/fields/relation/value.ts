import type { Attribute } from '../../api/types'
import type { RelatedItem } from '../types'

/**
 * How many entries a relation has; `items` once they are known to the form, `original` those that the server has.
 * Items without `original` are sent whole.
 */
export type RelationValue = { count: number; items?: RelatedItem[]; original?: RelatedItem[] }

export const isToMany = (attribute: Attribute): boolean => /Many$/i.test(attribute.relation ?? '')

export const itemsOf = (value: RelationValue | null | undefined): RelatedItem[] | undefined => value?.items

const target = (item: RelatedItem) => ({ documentId: item.documentId, ...(item.locale ? { locale: item.locale } : {}) })

/** Return what a request says of a relation that was changed, undefined of one that was not. */
export function sentRelation(value: RelationValue | null | undefined, attribute: Attribute): unknown {
  if (!value?.items) return undefined
  const { items, original } = value
  if (!isToMany(attribute)) {
    const [item] = items
    return { set: item ? [target(item)] : [] }
  }
  if (!original) return { set: items.map(target) }
  const now = new Set(items.map((item) => item.id))
  const before = new Set(original.map((item) => item.id))
  const kept = original.filter((item) => now.has(item.id))
  const added = items.filter((item) => !before.has(item.id))
  const isAppended = [...kept, ...added].every((item, index) => items[index]?.id === item.id)
  // A new order names them all; anything else names what changes.
  if (!isAppended) return { set: items.map(target) }
  return {
    connect: added.map(target),
    disconnect: original.filter((item) => !now.has(item.id)).map(target),
  }
}

/** Put an earlier value back after a save: its entries are known, or it was not changed at all. */
export function replayRelation(value: RelationValue | null | undefined, current: RelationValue | null | undefined): { value: unknown } | null {
  if (value?.items) return { value: { count: value.count, items: value.items } }
  if (current && !current.items && current.count === (value?.count ?? 0)) return { value }
  return value?.count ? null : { value: { count: 0, items: [] } }
}
