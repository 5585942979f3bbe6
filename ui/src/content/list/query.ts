import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/client'
import { hasDrafts, isLocalized } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { QueryValue } from '../../api/query'
import type { ContentType, EntryPage, Locale, Status, TypeConfiguration } from '../../api/types'
import type { ListSearch } from '../../router'
import { encodeFilters } from './filters'

export type ListQuery = { [key: string]: QueryValue }

/** What the server calls the versions of a state that drafts are listed by. */
const PUBLICATION: Record<Status, string> = { draft: 'never-published', modified: 'modified', published: 'unmodified' }

/** What a list shows by the search of its address, with the defaults of the type's view. */
export function listOf(type: ContentType, search: ListSearch, { contentType: view }: TypeConfiguration, locales: Locale[]) {
  const { settings, layouts } = view
  const locale = isLocalized(type) ? (search.locale ?? locales.find((one) => one.isDefault)?.code) : undefined
  const columns = search.columns ?? layouts.list.filter((name) => name !== 'id' || layouts.list.length === 1)
  const sort = search.sort ?? `${settings.defaultSortBy}:${settings.defaultSortOrder}`
  const pageSize = search.pageSize ?? settings.pageSize
  const query: ListQuery = {
    page: search.page ?? 1,
    pageSize,
    sort,
    locale,
    _q: search.q,
    filters: encodeFilters(search.filters),
    publicationFilter: search.status && hasDrafts(type) ? PUBLICATION[search.status] : undefined,
    missingLocale: isLocalized(type) && search.missing !== locale ? search.missing : undefined,
    reviewStage: search.stage,
    reviewAssignee: search.assignee,
    columns: [...new Set([settings.mainField, ...columns])].join(','),
  }
  return { locale, columns, sort, query, pageSize }
}

export const pageQuery = (uid: string, query: ListQuery) =>
  queryOptions({
    queryKey: keys.list(uid, query),
    queryFn: async ({ signal }) =>
      (await request('GET /content-manager/collection-types/{uid}', { path: { uid }, query, signal })) as unknown as EntryPage,
  })
