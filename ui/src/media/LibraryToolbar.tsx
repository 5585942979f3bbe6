import { Group, Select, SegmentedControl } from '@mantine/core'
import { LayoutGrid, List } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { SearchBox } from '../content/list/SearchBox'
import { FileFilters } from './FileFilters'
import { FILE_KINDS, LACKS, NO_FILTERS, type LibrarySearch } from './library'

const SORTS = ['createdAt:DESC', 'createdAt:ASC', 'name:ASC', 'name:DESC', 'size:DESC'] as const

type Props = {
  search: LibrarySearch
  onChange: (values: Partial<LibrarySearch>) => void
}

/** Search, filters, order and view of the library. */
export function LibraryToolbar({ search, onChange: change }: Props) {
  const { t } = useTranslation()
  return (
    <Group gap="xs">
        {search.lacks !== 'usage' && <SearchBox value={search.q ?? ''} label={t('media.search')} inputRef={null} onChange={(q) => change({ q: q || undefined })} />}
        {!search.lacks && <Choice label={t('media.kind')} value={search.kind} values={FILE_KINDS} name={(kind) => t(`media.kind.${kind}`)} onChange={(kind) => change({ kind })} />}
        <Choice label={t('media.lacks')} value={search.lacks} values={LACKS} name={(lack) => t(`media.lacks.${lack}`)} onChange={(lacks) => change({ ...NO_FILTERS, lacks })} />
        {search.lacks !== 'usage' && <FileFilters search={search} onChange={change} />}
        {search.lacks !== 'usage' && <Select size="xs" className="quire-toolbar-select" allowDeselect={false} aria-label={t('media.sort')} value={search.sort ?? SORTS[0]} data={SORTS.map((value) => ({ value, label: t(`media.sort.${value}`) }))} onChange={(sort) => change({ sort: sort ?? undefined })} />}
        <SegmentedControl
          size="xs"
          ml="auto"
          aria-label={t('media.view')}
          value={search.view ?? 'grid'}
          onChange={(view) => change({ view: view === 'table' ? 'table' : undefined })}
          data={[
            { value: 'grid', label: <LayoutGrid size={14} role="img" aria-label={t('media.view.grid')} /> },
            { value: 'table', label: <List size={14} role="img" aria-label={t('media.view.table')} /> },
          ]}
        />
    </Group>
  )
}

function Choice<Value extends string>({ label, value, values, name, onChange }: { label: string; value: Value | undefined; values: readonly Value[]; name: (value: Value) => string; onChange: (value: Value | undefined) => void }) {
  const { t } = useTranslation()
  return (
    <Select
      size="xs"
      className="quire-toolbar-select"
      clearable
      aria-label={label}
      placeholder={label}
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      value={value ?? null}
      data={values.map((one) => ({ value: one, label: name(one) }))}
      onChange={(chosen) => onChange(values.find((one) => one === chosen))}
    />
  )
}
