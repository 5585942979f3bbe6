import type { Attribute } from '../../api/types'
import type { RelatedItem } from '../types'

/** How many entries a relation leads to; once it is changed, to which, and to which it did before. */
export type RelationValue = { count: number; items?: RelatedItem[]; original?: RelatedItem[] }

export const isToMany = (attribute: Attribute): boolean => /Many$/i.test(attribute.relation ?? '')

export const itemsOf = (value: RelationValue | null | undefined): RelatedItem[] | undefined => value?.items

const target = (item: RelatedItem) => ({ documentId: item.documentId, ...(item.locale ? { locale: item.locale } : {}) })

/** Return what a request says of a relation that was changed, undefined of one that was not. */
export function sentRelation(value: RelationValue | null | undefined, attribute: Attribute): unknown {
  if (!value?.items) return undefined
  const { items, original = [] } = value
  if (!isToMany(attribute)) {
    const [item] = items
    return { set: item ? [target(item)] : [] }
  }
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
