import { useQuery } from '@tanstack/react-query'
import { request } from '../../api/client'
import type { SavedView } from '../../api/generated'
import { keys } from '../../api/keys'
import type { ListSearch } from '../../router'
import { isFilterTree, isStatus } from './filters'

/** The saved views of all lists, one's own and those that others share; read in one request. */
export function useAllSavedViews(): SavedView[] {
  const views = useQuery({ queryKey: keys.views, staleTime: 60_000, queryFn: async () => (await request('GET /admin/x/views')).data })
  return views.data ?? []
}

/** The saved views of one list. */
export const useSavedViews = (uid: string): SavedView[] => useAllSavedViews().filter((view) => view.uid === uid)

/** The address for a saved view; what was stored by another version of the UI is read with care. */
export function searchOf(view: SavedView): ListSearch {
  const { q, filters, status, sort, pageSize, columns, locale, stage, assignee, missing } = view.state as ListSearch
  return {
    view: view.id,
    q: typeof q === 'string' ? q : undefined,
    filters: isFilterTree(filters) ? filters : undefined,
    status: isStatus(status) ? status : undefined,
    sort: typeof sort === 'string' ? sort : undefined,
    pageSize: typeof pageSize === 'number' ? pageSize : undefined,
    columns: Array.isArray(columns) ? columns : undefined,
    locale: typeof locale === 'string' ? locale : undefined,
    stage: typeof stage === 'number' ? stage : undefined,
    assignee: typeof assignee === 'number' ? assignee : undefined,
    missing: typeof missing === 'string' ? missing : undefined,
  }
}
