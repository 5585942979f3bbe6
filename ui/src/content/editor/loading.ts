import { queryOptions } from '@tanstack/react-query'
import { ApiError, request } from '../../api/client'
import { keys } from '../../api/keys'
import type { ContentType, Entry, Localization } from '../../api/types'
import type { ComputedErrors } from '../ComputedErrors'

export type Loaded = {
  /** The version of the document in the locale, null where there is none yet. */
  entry: Entry | null
  documentId: string | null
  /** The other versions of the document, with what all of them share. */
  others: (Entry & Localization)[]
  /** The computed fields of the project's code, where the type has some, and the time of the entry that they are of. */
  computed?: { at: string | null; values: ComputedFields; errors?: ComputedErrors }
}

export type ComputedFields = Record<string, unknown>
type Answer = { data: Partial<Entry> | null; meta: { availableLocales?: (Entry & Localization)[]; computed?: ComputedFields; computedErrors?: ComputedErrors } }

export function loadedOf({ data, meta }: Answer, documentId: string | null): Loaded {
  const others = meta.availableLocales ?? []
  const entry = data?.documentId ? (data as Entry) : null
  const computed = meta.computed && { at: entry?.updatedAt ?? null, values: meta.computed, errors: meta.computedErrors }
  return { entry, documentId: entry?.documentId ?? documentId ?? others[0]?.documentId ?? null, others, computed }
}

/** Load an entry: a document id, `create` for one that is not there yet, null for that of a single type. */
export async function loadEntry(type: ContentType, documentId: string | null, locale: string | undefined): Promise<Loaded> {
  if (documentId === 'create') return { entry: null, documentId: null, others: [] }
  if (documentId) {
    const found = await request('GET /content-manager/collection-types/{uid}/{id}', {
      path: { uid: type.uid, id: documentId },
      query: { locale },
    })
    return loadedOf(found as unknown as Answer, documentId)
  }
  try {
    const found = await request('GET /content-manager/single-types/{uid}', { path: { uid: type.uid }, query: { locale } })
    return loadedOf(found as unknown as Answer, null)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { entry: null, documentId: null, others: [] }
    throw error
  }
}

/** An entry as a form begins with it; it is not loaded again while somebody writes. */
export const entryQuery = (type: ContentType, documentId: string | null, locale: string | undefined) =>
  queryOptions({
    queryKey: keys.entry(type.uid, documentId ?? 'single', locale),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: () => loadEntry(type, documentId, locale),
  })
