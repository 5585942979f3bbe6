import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../../api/client'
import { configurationQuery } from '../../api/hooks'
import type { Entry } from '../../api/types'
import { messageOf } from '../../components/errors'
import { queries } from '../../queries'
import type { FilterProps } from '../types'

/** Entries that a relation leads to, chosen by their title; their document ids are compared. */
export function RelationFilter({ attribute, value, onChange, label }: FilterProps) {
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search.trim(), 150)
  const target = attribute.target ?? ''
  const chosen = Array.isArray(value) ? value : value ? [value] : []
  const load = async (query: { _q?: string; filters?: never }) => {
    const { settings } = (await queries.ensureQueryData(configurationQuery(target))).contentType
    const page = await request('GET /content-manager/collection-types/{uid}', {
      path: { uid: target },
      query: { ...query, pageSize: 20, columns: settings.mainField },
    })
    return (page.results as unknown as Entry[]).map((entry) => ({
      value: entry.documentId,
      label: String(entry[settings.mainField] ?? entry.documentId),
    }))
  }
  const found = useQuery({
    queryKey: ['content', target, 'choices', asked],
    queryFn: () => load({ _q: asked || undefined }),
  })
  const known = useQuery({
    queryKey: ['content', target, 'chosen', chosen],
    enabled: chosen.length > 0,
    queryFn: () => load({ filters: { documentId: { $in: chosen } } as never }),
  })
  const data = [...(known.data ?? []), ...(found.data ?? [])].filter(
    (one, index, all) => all.findIndex((other) => other.value === one.value) === index,
  )
  return (
    <MultiSelect
      size="xs"
      aria-label={label}
      data={data}
      value={chosen}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      error={found.error ? messageOf(found.error) : undefined}
      onChange={(changed) => onChange(changed.length > 0 ? changed : undefined)}
    />
  )
}
