import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/client'
import type { Revision } from '../../api/generated'
import type { Attribute } from '../../api/types'
import { fieldTypeOf } from '../../fields/registry'
import { queries } from '../../queries'
import type { RecordedSource } from '../../fields/types'
import type { Values } from '../editor/store'

/** The id of a revision, or the one before what is saved now. */
export type RevisionName = number | 'previous'

/** What an entry was like at its saves, the latest first. Each save adds one, so the moment of the last is part of the key. */
export const revisionsQuery = (uid: string, documentId: string, locale: string | undefined, updatedAt: string | undefined) =>
  queryOptions({
    queryKey: ['history', uid, documentId, locale, updatedAt],
    queryFn: () => revisionsOf(uid, documentId, locale),
  })

async function revisionsOf(uid: string, documentId: string, locale: string | undefined): Promise<Revision[]> {
  return (await request('GET /admin/x/revisions/{uid}/{id}', { path: { uid, id: documentId }, query: { locale } })).data
}

/** What a revision holds; null where there is none. */
export async function fetchRevision(uid: string, documentId: string, locale: string | undefined, name: RevisionName): Promise<{ id: number; data: Values } | null> {
  let revision = name
  if (revision === 'previous') {
    const all = await revisionsOf(uid, documentId, locale)
    const found = all[1] ?? all[0]
    if (!found) return null
    revision = found.id
  }
  // A revision never changes.
  return queries.fetchQuery({
    queryKey: ['history', uid, documentId, locale, 'revision', revision],
    staleTime: Infinity,
    queryFn: async () =>
      (await request('GET /admin/x/revisions/{uid}/{id}/{revision}', { path: { uid, id: documentId, revision }, query: { locale } })).data as unknown as { id: number; data: Values },
  })
}

/** A value of a revision as forms have it: revisions hold no more than references to what they lead to. */
export function recordedValue(value: unknown, attribute: Attribute, source: RecordedSource): Promise<unknown> | undefined {
  return fieldTypeOf(attribute).recorded?.(value, attribute, source)
}
