import { ApiError, request } from '../../api/client'
import type { Attribute, Entry } from '../../api/types'
import type { RecordedSource, RelatedItem } from '../types'
import type { RelationValue } from './value'

const MOST = 100

/**
 * What a relation of a revision led to, with the titles that its entries have now. Those that are gone are left out
 * and counted. A role that may not read them sees their document ids.
 */
export async function recordedItems(kept: Record<string, unknown>[], attribute: Attribute, { locale, missing }: RecordedSource): Promise<RelationValue> {
  const ids = kept.map((one) => String(one.documentId))
  if (ids.length === 0 || !attribute.target) return { count: 0, items: [] }
  let items: RelatedItem[]
  try {
    const found = new Map<string, Entry>()
    for (let start = 0; start < ids.length; start += MOST) {
      const answer = await request('GET /content-manager/collection-types/{uid}', {
        path: { uid: attribute.target },
        query: { locale, pageSize: MOST, filters: { documentId: { $in: ids.slice(start, start + MOST) } } },
      })
      for (const entry of (answer as unknown as { results: Entry[] }).results) found.set(entry.documentId, entry)
    }
    items = ids.flatMap((id) => found.get(id) ?? [])
    missing.count += ids.length - items.length
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 403, 404].includes(error.status)) throw error
    // Rows of lists are told apart by their ids, which requests do not send.
    items = ids.map((documentId, index) => ({ id: -1 - index, documentId, locale: (kept[index]?.locale as string | null) ?? null }))
  }
  return { count: items.length, items }
}
