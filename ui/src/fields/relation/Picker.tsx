import { Combobox, Group, Loader, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { StatusBadge } from '../../components/StatusBadge'
import { messageOf } from '../../components/errors'
import { useEntryScope } from '../../content/editor/scope'
import type { RelatedItem } from '../types'

type PickerProps = {
  label: string
  owner: { model: string; id: string | number } | null
  model: string | null
  field: string
  mainField: string
  placeholder: string
  disabled: boolean
  chosen: RelatedItem[]
  showsStatus: boolean
  onPick: (item: RelatedItem) => void
  /** Absent where entries may not be made. */
  onCreate?: (text: string) => void
  typeName: string
}

const CREATE = 'create'
const MORE = 'more'
const RETRY = 'retry'

/** A search as one types, among what may be linked; what is not there yet is made from here. */
export function Picker({ label, owner, model, field, mainField, placeholder, disabled, chosen, showsStatus, onPick, onCreate, typeName }: PickerProps) {
  const { t } = useTranslation()
  const { locale } = useEntryScope()
  const [search, setSearch] = useState('')
  const [opened, setOpened] = useState(false)
  const [asked] = useDebouncedValue(search.trim(), 150)
  const combobox = useCombobox({
    onDropdownOpen: () => setOpened(true),
    onDropdownClose: () => {
      setOpened(false)
      combobox.resetSelectedOption()
    },
  })
  const found = useInfiniteQuery({
    queryKey: ['relations', 'search', model, field, asked, locale, owner?.id, chosen.map((one) => one.id)],
    enabled: opened && model !== null,
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      request('GET /content-manager/relations/{model}/{field}', {
        path: { model: model!, field },
        query: {
          _q: asked || undefined,
          page: pageParam,
          pageSize: 20,
          locale,
          id: owner?.id,
          idsToOmit: chosen.map((one) => one.id),
        },
        signal,
      }),
    getNextPageParam: (last) => (last.pagination.page < last.pagination.pageCount ? last.pagination.page + 1 : undefined),
  })
  const options = (found.data?.pages.flatMap((page) => page.results) ?? []) as unknown as RelatedItem[]
  /** The place of the first entry of the next page, which the keys go on from. */
  const firstOfNext = useRef<number | null>(null)
  const goOn = useEffectEvent(() => {
    if (firstOfNext.current !== null) combobox.selectOption(firstOfNext.current)
    firstOfNext.current = null
  })
  useEffect(() => goOn(), [options.length])
  const more = () => {
    firstOfNext.current = options.length
    void found.fetchNextPage()
  }
  // A list that is about to change offers nothing that the next key might choose by mistake.
  const isSettled = asked === search.trim() && !found.isFetching
  return (
    <Combobox
      store={combobox}
      withinPortal
      keepMounted={false}
      onOptionSubmit={(id) => {
        if (id === MORE) return more()
        if (id === RETRY) {
          combobox.resetSelectedOption()
          return found.data ? more() : void found.refetch()
        }
        const item = options.find((one) => String(one.id) === id)
        if (id === CREATE) onCreate?.(search.trim())
        else if (item) onPick(item)
        setSearch('')
        combobox.closeDropdown()
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <TextInput
          size="sm"
          aria-label={t('relation.search', { field: label })}
          placeholder={placeholder}
          disabled={disabled}
          value={search}
          onFocus={() => combobox.openDropdown()}
          onClick={() => combobox.openDropdown()}
          onBlur={() => {
            combobox.closeDropdown()
            setSearch('')
          }}
          onChange={(event) => {
            setSearch(event.currentTarget.value)
            combobox.openDropdown()
            combobox.updateSelectedOptionIndex()
          }}
          rightSection={found.isFetching ? <Loader size={12} /> : undefined}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={t('relation.search', { field: label })} mah={240} style={{ overflowY: 'auto' }}>
          {options.map((item) => (
            <Combobox.Option key={item.id} value={String(item.id)}>
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm" className="quire-ellipsis">{String(item[mainField] ?? item.documentId)}</Text>
                {showsStatus && item.status && <StatusBadge status={item.status} />}
              </Group>
            </Combobox.Option>
          ))}
          {options.length === 0 && !found.error && <Combobox.Empty>{found.isFetching ? t('state.loading') : t('relation.nothing')}</Combobox.Empty>}
          {found.error && !found.isFetching && (
            <Combobox.Option value={RETRY}>
              <Text size="xs" c="var(--mantine-color-error)" role="alert">{messageOf(found.error)}</Text>
              <Text size="sm">{t('action.retry')}</Text>
            </Combobox.Option>
          )}
          {found.hasNextPage && !found.error && <Combobox.Option value={MORE} ta="center" c="dimmed">{t('action.more')}</Combobox.Option>}
          {onCreate && isSettled && (
            <Combobox.Option value={CREATE}>
              <Group gap={6} wrap="nowrap">
                <Plus size={14} aria-hidden style={{ flexShrink: 0 }} />
                <Text size="sm" className="quire-ellipsis">
                  {search.trim() ? t('relation.createNamed', { text: search.trim() }) : t('relation.create', { type: typeName })}
                </Text>
              </Group>
            </Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
