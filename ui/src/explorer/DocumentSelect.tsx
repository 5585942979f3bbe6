import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { useConfiguration } from '../api/hooks'
import { keys } from '../api/keys'
import type { ContentType, Entry } from '../api/types'
import { messageOf } from '../components/errors'

const FOUND = 10
const DOCUMENT_ID = /^[a-z0-9]{24}$/

/** A document, found by its title or given by its id. */
export function DocumentSelect({ type, value, onChange }: { type: ContentType; value: string; onChange: (documentId: string) => void }) {
  const { t } = useTranslation()
  const main = useConfiguration(type.uid).contentType.settings.mainField
  const [words, setWords] = useState('')
  const [asked] = useDebouncedValue(words.trim(), 150)
  const found = useQuery({
    queryKey: keys.list(type.uid, { explorer: asked }),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { _q: asked || undefined, pageSize: FOUND, columns: main, sort: 'updatedAt:DESC' }
      return (await request('GET /content-manager/collection-types/{uid}', { path: { uid: type.uid }, query, signal })).results as unknown as Entry[]
    },
  })
  const entries = (found.data ?? []).map((entry) => ({ value: entry.documentId, label: String(entry[main] ?? entry.documentId) }))
  const given = [words.trim(), value].filter((one) => DOCUMENT_ID.test(one) && !entries.some((entry) => entry.value === one))
  return (
    <Select
      label={t('explorer.document')}
      description={value || undefined}
      placeholder={t('explorer.documentHint')}
      searchable
      allowDeselect={false}
      data={[...new Set(given)].map((id) => ({ value: id, label: id })).concat(entries)}
      filter={({ options }) => options}
      nothingFoundMessage={t('explorer.documentNone')}
      error={found.error ? messageOf(found.error) : undefined}
      value={value || null}
      onChange={(documentId) => documentId && onChange(documentId)}
      onSearchChange={(search) => setWords(entries.some((entry) => entry.label === search) ? '' : search)}
    />
  )
}
