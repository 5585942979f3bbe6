import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/client'
import { keys } from '../api/keys'
import type { Entry, EntryPage } from '../api/types'

/** How many documents of a type there are in each locale. */
export const coverageQuery = (uid: string) =>
  queryOptions({
    queryKey: keys.coverage(uid),
    queryFn: async () => (await request('GET /admin/x/locale-coverage/{uid}', { path: { uid } })).data,
  })

/** The next document that has a version in the locale `source` and none in `target`, null where all have one. */
export const nextMissingQuery = (uid: string, documentId: string | null, source: string, target: string, title: string) =>
  queryOptions({
    queryKey: [...keys.coverage(uid), 'next', documentId, source, target],
    queryFn: async (): Promise<Entry | null> => {
      const first = async (filters: { documentId: { [operator: string]: string } } | undefined) => {
        const query = { locale: source, missingLocale: target, sort: 'documentId:asc', page: 1, pageSize: 1, columns: title, filters }
        const page = (await request('GET /content-manager/collection-types/{uid}', { path: { uid }, query })) as unknown as EntryPage
        return page.results[0] ?? null
      }
      // Behind this one in the order of ids, or else from the beginning.
      return documentId === null ? first(undefined) : ((await first({ documentId: { $gt: documentId } })) ?? first({ documentId: { $lt: documentId } }))
    },
  })
