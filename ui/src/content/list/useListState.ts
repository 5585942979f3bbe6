import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { hasDrafts, isLocalized, useConfiguration, useLocales } from '../../api/hooks'
import type { QueryValue } from '../../api/query'
import type { ContentType, Status } from '../../api/types'
import type { ListSearch } from '../../router'
import { encodeFilters } from './filters'

/** What the server calls the versions of a state that drafts are listed by. */
const PUBLICATION: Record<Status, string> = { draft: 'never-published', modified: 'modified', published: 'unmodified' }

export type ListState = ReturnType<typeof useListState>

/** What a list shows, all of it in the address, with the defaults of the type's view. */
export function useListState(type: ContentType) {
  const search = useSearch({ from: '/shell/content/$uid' })
  const navigate = useNavigate({ from: '/content/$uid' })
  const { settings, layouts } = useConfiguration(type.uid).contentType
  const locales = useLocales()
  return useMemo(() => {
    const change = (values: Partial<ListSearch>, replace = false) =>
      void navigate({
        search: (before) => ({ ...before, page: undefined, ...values }) as ListSearch,
        replace,
      })
    const locale = isLocalized(type) ? (search.locale ?? locales.find((one) => one.isDefault)?.code) : undefined
    const columns = search.columns ?? layouts.list.filter((name) => name !== 'id' || layouts.list.length === 1)
    const sort = search.sort ?? `${settings.defaultSortBy}:${settings.defaultSortOrder}`
    const query: { [key: string]: QueryValue } = {
      page: search.page ?? 1,
      pageSize: search.pageSize ?? settings.pageSize,
      sort,
      locale,
      _q: search.q,
      filters: encodeFilters(search.filters),
      publicationFilter: search.status && hasDrafts(type) ? PUBLICATION[search.status] : undefined,
      columns: [...new Set([settings.mainField, ...columns])].join(','),
    }
    return { search, change, locale, columns, sort, query, pageSize: search.pageSize ?? settings.pageSize }
  }, [search, navigate, settings, layouts, locales, type])
}
