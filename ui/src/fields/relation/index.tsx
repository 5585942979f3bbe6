import { ActionIcon, Anchor, Badge, Button, Combobox, Group, Loader, Paper, ScrollArea, Stack, Text, TextInput, Tooltip, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ExternalLink, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { request } from '../../api/client'
import { hasDrafts, useAbility, useModel } from '../../api/hooks'
import { keys } from '../../api/keys'
import { StatusBadge } from '../../components/StatusBadge'
import { toastError } from '../../components/toast'
import { useEntryScope } from '../../content/editor/scope'
import { getIn, useEditor, useField } from '../../content/editor/store'
import { Nothing } from '../shared/cells'
import { linesDiff } from '../shared/diffs'
import { FieldFrame } from '../shared/Frame'
import { LINK } from '../shared/operators'
import { DragHandle, moveItem, SortableItem, SortableList } from '../shared/Sortable'
import type { CellProps, FieldType, InputProps, RelatedItem } from '../types'
import { RelationFilter } from './Filter'
import { isToMany, itemsOf, replayRelation, sentRelation, type RelationValue } from './value'

const PAGE = 100

/** What a relation leads to, in the order in which it does: the server tells the last one first. */
async function linkedItems(
  owner: { model: string; id: string | number },
  field: string,
  query: { locale?: string; status: string },
): Promise<RelatedItem[]> {
  const found: RelatedItem[] = []
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const part = await request('GET /content-manager/relations/{model}/{id}/{field}', {
      path: { ...owner, field },
      query: { ...query, page, pageSize: PAGE },
    })
    const { results, pagination } = part as unknown as { results: RelatedItem[]; pagination?: { pageCount: number } }
    found.push(...results)
    pages = pagination?.pageCount ?? 1
  }
  return found.reverse()
}

function Input(props: InputProps) {
  const { t } = useTranslation()
  const { attribute, path, locked } = props
  const scope = useEntryScope()
  const model = useModel()
  const ability = useAbility()
  const store = useEditor()
  const { value, error, set } = useField<RelationValue | null | undefined>(path)
  const field = String(path[path.length - 1])
  const target = attribute.target ?? ''
  const targetType = model.types.get(target)
  const many = isToMany(attribute)
  const mainField = props.meta?.mainField ?? 'documentId'

  // A relation of a component belongs to the part, which the server knows once it is saved.
  const parent = path.length === 1 ? null : (path.slice(0, -1) as (string | number)[])
  const part = useStore(store, (state) => (parent ? getIn(state.values, parent) : null)) as { id?: number; __component?: string } | null
  const partModel = usePartModel(props)
  const owner = parent
    ? part?.id && partModel ? { model: partModel, id: part.id } : null
    : scope.documentId ? { model: scope.uid, id: scope.documentId } : null
  const query = { locale: scope.locale, status: scope.status }
  const linked = useQuery({
    queryKey: keys.relations(owner?.model ?? '', owner?.id ?? '', field, query),
    enabled: owner !== null && (value?.count ?? 0) > 0 && value?.items === undefined,
    staleTime: 30_000,
    queryFn: () => linkedItems(owner!, field, query),
  })
  const items = itemsOf(value) ?? linked.data ?? []
  const put = (next: RelatedItem[]) => {
    const original = value?.items ? value.original : (linked.data ?? [])
    // Undo has to know the entries from before, also after a save.
    if (!value?.items && path.length === 1) store.getState().detail(path, { count: items.length, items, original: items })
    set({ count: next.length, items: next, original })
  }
  const ready = value?.items !== undefined || (value?.count ?? 0) === 0 || linked.data !== undefined
  const label = (item: RelatedItem) => String(item[mainField] ?? item.documentId)
  const readable = targetType?.isDisplayed && ability.canContent('read', target)
  const move = (from: number, to: number) => put(moveItem(items, from, to))
  return (
    <FieldFrame
      {...props}
      error={error}
      side={many && items.length > 0 ? <Text size="xs" c="dimmed">{items.length}</Text> : undefined}
    >
      <Stack gap={6}>
        {linked.isLoading && <Loader size="xs" />}
        {linked.error && <Text size="xs" c="var(--mantine-color-error)" role="alert">{linked.error.message}</Text>}
        {items.length > 0 && (
          <Paper withBorder className="quire-surface">
            <ScrollArea.Autosize mah={260} type="auto" viewportProps={items.length > 7 ? { tabIndex: 0, role: 'region', 'aria-label': props.label } : {}}>
              <SortableList ids={items.map((item) => String(item.id))} onMove={move}>
                {items.map((item, index) => (
                  <SortableItem key={item.id} id={String(item.id)}>
                    <Group gap={6} px={8} h={34} wrap="nowrap" style={index > 0 ? { borderTop: '1px solid var(--quire-hairline)' } : undefined}>
                      {many && !locked && items.length > 1 && <DragHandle label={t('order.move', { name: label(item) })} />}
                      {readable ? (
                        <Anchor
                          size="sm"
                          c="inherit"
                          className="quire-ellipsis"
                          href={`/admin/content/${target}/${item.documentId}${item.locale ? `?locale=${item.locale}` : ''}`}
                          target="_blank"
                          style={{ flex: 1 }}
                        >
                          {label(item)}
                        </Anchor>
                      ) : (
                        <Text size="sm" className="quire-ellipsis" style={{ flex: 1 }}>{label(item)}</Text>
                      )}
                      {item.status && <StatusBadge status={item.status} />}
                      {readable && <ExternalLink size={12} aria-hidden color="var(--mantine-color-dimmed)" />}
                      {!locked && (
                        <Tooltip label={t('relation.remove')}>
                          <ActionIcon size="sm" aria-label={t('relation.removeNamed', { name: label(item) })} onClick={() => put(items.filter((one) => one.id !== item.id))}>
                            <X size={14} />
                          </ActionIcon>
                        </Tooltip>
                      )}
                    </Group>
                  </SortableItem>
                ))}
              </SortableList>
            </ScrollArea.Autosize>
          </Paper>
        )}
        {!locked && targetType && (
          <Picker
            label={props.label}
            owner={owner}
            model={parent ? partModel : scope.uid}
            field={field}
            mainField={mainField}
            placeholder={many ? t('relation.add', { type: targetType.info.displayName }) : items.length > 0 ? t('relation.change') : t('relation.choose', { type: targetType.info.displayName })}
            disabled={!ready}
            chosen={items}
            showsStatus={hasDrafts(targetType)}
            onPick={(item) => put(many ? [...items, item] : [item])}
          />
        )}
        {locked && items.length === 0 && !linked.isLoading && <Nothing />}
      </Stack>
    </FieldFrame>
  )
}

/** The model of the part that a relation stands in: that of its component. */
function usePartModel({ path }: InputProps): string | null {
  const { type } = useEntryScope()
  const model = useModel()
  const store = useEditor()
  return useStore(store, (state) => {
    let attributes = type.attributes
    let uid: string | null = null
    for (let depth = 0; depth < path.length - 1; depth += 1) {
      const step = path[depth]
      if (typeof step === 'number') {
        const zone = getIn(state.values, path.slice(0, depth + 1)) as { __component?: string } | undefined
        if (zone?.__component) uid = zone.__component
      } else if (step !== undefined) {
        const attribute: { component?: string } | undefined = attributes[step]
        if (attribute?.component) uid = attribute.component
      }
      if (uid) attributes = model.components.get(uid)?.attributes ?? attributes
    }
    return uid
  })
}

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
}

/** A search as one types, among what the relation may lead to. */
function Picker({ label, owner, model, field, mainField, placeholder, disabled, chosen, showsStatus, onPick }: PickerProps) {
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
  return (
    <Combobox
      store={combobox}
      withinPortal
      onOptionSubmit={(id) => {
        const item = options.find((one) => String(one.id) === id)
        if (item) onPick(item)
        setSearch('')
        combobox.closeDropdown()
      }}
    >
      <Combobox.Target>
        <TextInput
          size="xs"
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
        <Combobox.Options mah={240} style={{ overflowY: 'auto' }}>
          {options.map((item) => (
            <Combobox.Option key={item.id} value={String(item.id)}>
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm" className="quire-ellipsis">{String(item[mainField] ?? item.documentId)}</Text>
                {showsStatus && item.status && <StatusBadge status={item.status} />}
              </Group>
            </Combobox.Option>
          ))}
          {options.length === 0 && (
            <Combobox.Empty>{found.isFetching ? t('state.loading') : found.error ? found.error.message : t('relation.nothing')}</Combobox.Empty>
          )}
          {found.hasNextPage && (
            <Button fullWidth variant="subtle" size="compact-xs" onMouseDown={(event) => event.preventDefault()} onClick={() => void found.fetchNextPage()}>
              {t('action.more')}
            </Button>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

function Cell({ value, mainField }: CellProps) {
  const { t } = useTranslation()
  if (Array.isArray(value)) return value.length ? <span>{t('relation.count', { count: value.length })}</span> : <Nothing />
  if (typeof value !== 'object' || value === null) return <Nothing />
  const one = value as Record<string, unknown>
  if (typeof one.count === 'number' && one.documentId === undefined) {
    return one.count > 0 ? <Badge size="sm" variant="default" tt="none" fw={500}>{one.count}</Badge> : <Nothing />
  }
  return <span>{String(one[mainField ?? 'documentId'] ?? one.documentId ?? one.id)}</span>
}

const names = (value: unknown): string[] => {
  const list = Array.isArray(value) ? value : value ? [value] : []
  return (list as Record<string, unknown>[]).map((one) =>
    String(one.title ?? one.name ?? one.label ?? one.displayName ?? one.firstname ?? one.documentId ?? one.id),
  )
}

export const relation: FieldType = {
  Input,
  Cell,
  Diff: linesDiff(names),
  filter: { operators: LINK, Value: RelationFilter },
  initial: () => ({ count: 0 }),
  replay: (value, _attribute, { current }) => replayRelation(value as RelationValue | null, current as RelationValue | null),
  serialize: (value, attribute) => sentRelation(value as RelationValue | null, attribute),
}

/** Fetch what the relations of a part lead to, so that a copy of it leads there too. */
export async function relationsForCopy(
  owner: { model: string; id: number },
  field: string,
  query: { locale?: string; status: string },
): Promise<RelationValue> {
  try {
    const items = await linkedItems(owner, field, query)
    return { count: items.length, items, original: [] }
  } catch (error) {
    toastError(error)
    return { count: 0 }
  }
}

