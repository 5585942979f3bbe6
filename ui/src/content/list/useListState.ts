import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useAbility, useConfiguration, useLocales } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import type { ListSearch } from '../../router'
import { listOf } from './query'

export type ListState = ReturnType<typeof useListState>

/** What a list shows, all of it in the address. */
export function useListState(type: ContentType) {
  const search = useSearch({ from: '/shell/content/$uid' })
  const navigate = useNavigate({ from: '/content/$uid' })
  const configuration = useConfiguration(type.uid)
  const ability = useAbility()
  const all = useLocales()
  return useMemo(() => {
    // Without the right to read the default locale, a list begins with the first one that can be read.
    const readable = all.filter((one) => ability.canContent('read', type.uid, one.code))
    const locales = readable.some((one) => one.isDefault) ? all : readable.map((one, index) => ({ ...one, isDefault: index === 0 }))
    const change = (values: Partial<ListSearch>, replace = false) =>
      void navigate({
        search: (before) => ({ ...before, page: undefined, ...values }) as ListSearch,
        replace,
      })
    return { search, change, ...listOf(type, search, configuration, locales) }
  }, [search, navigate, configuration, all, ability, type])
}
