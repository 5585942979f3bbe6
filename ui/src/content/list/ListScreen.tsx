import {
  ActionIcon, Badge, Button, Checkbox, CloseButton, Group, Loader, Menu, Pagination, Paper, Pill, Popover, ScrollArea, Select, Stack,
  Switch, Table, Text, TextInput, Title, Tooltip, VisuallyHidden,
} from '@mantine/core'
import { useDebouncedCallback, useDocumentTitle, useHotkeys } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, Columns3, Copy, Ellipsis, Filter, Pencil, Plus, Search, Trash2 } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { hasDrafts, isLocalized, labelOf, useAbility, useConfiguration, useLocales, useModel } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { ContentType, Entry, EntryPage } from '../../api/types'
import { RelativeTime } from '../../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../../components/States'
import { StatusBadge } from '../../components/StatusBadge'
import { toast, toastError } from '../../components/toast'
import { fieldTypeOf } from '../../fields/registry'
import { queries } from '../../queries'
import { useBulk } from './bulk'
import { fieldKey, filterFields, type FilterField } from './fields'
import { FilterBuilder, operatorLabel, ruleFor } from './FilterBuilder'
import { countRules, isComplete, isGroup, type FilterGroup, type FilterItem } from './filters'
import { ListMenu, ViewMenu } from './ListMenu'
import { useListState } from './useListState'

type Selection = { of: string | undefined; entries: ReadonlyMap<string, Entry> }
const NOTHING: ReadonlyMap<string, Entry> = new Map()

const PAGE_SIZES = ['10', '20', '50', '100']

/** The entries of a collection type. */
export function ListScreen({ type }: { type: ContentType }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const ability = useAbility()
  const model = useModel()
  const locales = useLocales()
  const view = useConfiguration(type.uid).contentType
  const state = useListState(type)
  const { search, change, locale, columns, sort, query, pageSize } = state
  const [selection, setSelection] = useState<Selection>({ of: locale, entries: new Map() })
  const [cursor, setCursor] = useState({ of: query, at: -1 })
  const searchField = useRef<HTMLInputElement>(null)
  const { uid, info } = type
  useDocumentTitle(`${info.displayName} · Quire`)

  const list = useQuery({
    queryKey: keys.list(uid, query),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await request('GET /content-manager/collection-types/{uid}', { path: { uid }, query, signal })) as unknown as EntryPage,
  })
  const rows = useMemo(() => list.data?.results ?? [], [list.data])
  const total = list.data?.pagination.total
  // Another locale has another selection, another list another cursor.
  const selected = selection.of === locale ? selection.entries : NOTHING
  const setSelected = (change: (entries: ReadonlyMap<string, Entry>) => ReadonlyMap<string, Entry>) =>
    setSelection((one) => ({ of: locale, entries: change(one.of === locale ? one.entries : NOTHING) }))
  const clearSelection = () => setSelection({ of: locale, entries: NOTHING })
  const active = cursor.of === query ? cursor.at : -1
  const moveCursor = (by: number) =>
    setCursor({ of: query, at: Math.max(0, Math.min(active + by, rows.length - 1)) })

  const may = {
    create: ability.canContent('create', uid, locale),
    update: ability.canContent('update', uid, locale),
    delete: ability.canContent('delete', uid, locale),
    publish: hasDrafts(type) && ability.canContent('publish', uid, locale),
  }
  const titleOf = (entry: Entry) => String(entry[view.settings.mainField] ?? '') || t('entry.untitled')
  const bulk = useBulk(type, locale, titleOf, clearSelection)
  const openEntry = (entry: Entry) =>
    void navigate({ to: '/content/$uid/$documentId', params: { uid, documentId: entry.documentId }, search: locale ? { locale } : {} })
  const create = () =>
    void navigate({ to: '/content/$uid/$documentId', params: { uid, documentId: 'create' }, search: locale ? { locale } : {} })
  const toggle = (entry: Entry) =>
    setSelected((all) => {
      const next = new Map(all)
      if (!next.delete(entry.documentId)) next.set(entry.documentId, entry)
      return next
    })
  const allOnPage = rows.length > 0 && rows.every((row) => selected.has(row.documentId))
  const toggleAll = () =>
    setSelected((all) => {
      const next = new Map(all)
      for (const row of rows) {
        if (allOnPage) next.delete(row.documentId)
        else next.set(row.documentId, row)
      }
      return next
    })
  useHotkeys([
    ['/', () => searchField.current?.focus()],
    ['c', () => may.create && create()],
    ['j', () => moveCursor(1)],
    ['k', () => moveCursor(-1)],
    ['x', () => rows[active] && toggle(rows[active])],
    ['Enter', () => rows[active] && openEntry(rows[active]), { preventDefault: false }],
  ])

  const [sortField, sortOrder] = sort.split(':') as [string, string]
  const isFiltered = Boolean(search.q) || countRules(search.filters) > 0
  const fields = useMemo(() => filterFields(type, view, model, ability), [type, view, model, ability])
  const showsLocales = isLocalized(type) && locales.length > 1
  const shown = columns.filter((name) => type.attributes[name] || name === 'documentId' || name === 'id')

  const duplicate = async (entry: Entry) => {
    try {
      const made = await request('POST /content-manager/collection-types/{uid}/auto-clone/{id}', {
        path: { uid, id: entry.documentId }, query: { locale }, body: {} as never,
      })
      const documentId = (made as unknown as { data?: Entry }).data?.documentId ?? (made as unknown as Entry).documentId
      await queries.invalidateQueries({ queryKey: keys.content(uid) })
      toast(t('entry.duplicated', { title: titleOf(entry) }))
      if (documentId) void navigate({ to: '/content/$uid/$documentId', params: { uid, documentId }, search: locale ? { locale } : {} })
    } catch (error) {
      // Some value has to be another one: the copy begins as a form.
      if (error instanceof Error && 'status' in error && error.status === 400) {
        void navigate({ to: '/content/$uid/$documentId', params: { uid, documentId: 'create' }, search: { ...(locale ? { locale } : {}), from: entry.documentId } })
      } else toastError(error)
    }
  }

  return (
    <Stack p={{ base: 'sm', sm: 'lg' }} gap="sm" style={{ minWidth: 0 }}>
      <Group justify="space-between" align="flex-start">
        <Group gap="xs" align="baseline">
          <Title order={1}>{info.displayName}</Title>
          {total !== undefined && <Text size="sm" c="dimmed" role="status">{t('list.total', { count: total })}</Text>}
          {list.isFetching && <Loader size={14} aria-label={t('state.loading')} />}
        </Group>
        <Group gap="xs">
          {showsLocales && (
            <Select
              size="xs"
              w={150}
              aria-label={t('entry.locale')}
              allowDeselect={false}
              value={locale ?? null}
              data={locales.map((one) => ({ value: one.code, label: one.name }))}
              onChange={(code) => change({ locale: code ?? undefined })}
            />
          )}
          {may.create && (
            <Button leftSection={<Plus size={14} />} onClick={create}>
              {t('list.create')}
            </Button>
          )}
        </Group>
      </Group>
      <Group gap="xs">
        {view.settings.searchable && <SearchBox key={uid} value={search.q ?? ''} label={t('list.search', { type: info.displayName })} inputRef={searchField} onChange={(q) => change({ q: q || undefined }, true)} />}
        {view.settings.filterable && <FilterMenu fields={fields} value={search.filters} onChange={(filters) => change({ filters }, true)} />}
        <ColumnMenu type={type} shown={shown} onChange={(names) => change({ columns: names, page: search.page })} />
        <ViewMenu type={type} state={state} />
        <ListMenu type={type} state={state} />
      </Group>
      <FilterChips fields={fields} value={search.filters} onChange={(filters) => change({ filters })} />
      {selected.size > 0 && (
        <Paper withBorder p={6} className="quire-surface" role="region" aria-label={t('bulk.region')}>
          <Group gap="xs">
            <Text size="sm" px={6} role="status">{t('bulk.selected', { count: selected.size })}</Text>
            {may.publish && <Button variant="default" onClick={() => bulk.ask('publish', [...selected.values()])}>{t('action.publish')}</Button>}
            {may.publish && <Button variant="default" onClick={() => bulk.ask('unpublish', [...selected.values()])}>{t('action.unpublish')}</Button>}
            {may.delete && <Button variant="light" color="red" onClick={() => bulk.ask('delete', [...selected.values()])}>{t('action.delete')}</Button>}
            {!may.publish && !may.delete && <Text size="xs" c="dimmed">{t('bulk.nothingAllowed')}</Text>}
            {bulk.running && <Text size="sm" c="dimmed">{bulk.running.done} / {bulk.running.of}</Text>}
            <Button variant="subtle" color="gray" ml="auto" onClick={clearSelection}>{t('bulk.clear')}</Button>
          </Group>
        </Paper>
      )}
      {list.error && <ErrorState error={list.error} retry={() => void list.refetch()} />}
      {!list.data && !list.error && <Loading rows={10} />}
      {list.data && rows.length === 0 && (
        <Paper withBorder className="quire-surface">
          {isFiltered ? (
            <EmptyState title={t('list.noneFound')} action={<Button variant="default" onClick={() => change({ q: undefined, filters: undefined })}>{t('list.clearFilters')}</Button>} />
          ) : (
            <EmptyState title={t('list.none', { type: info.displayName })} action={may.create ? <Button leftSection={<Plus size={14} />} onClick={create}>{t('list.create')}</Button> : undefined}>
              {t('list.noneHint')}
            </EmptyState>
          )}
        </Paper>
      )}
      {rows.length > 0 && (
        <Paper withBorder className="quire-surface" style={{ overflow: 'hidden' }}>
          <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': info.displayName }}>
            <Table className="quire-table" verticalSpacing={7} horizontalSpacing="sm" highlightOnHover aria-label={info.displayName}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th w={36}>
                    <Checkbox size="xs" aria-label={t('list.selectAll')} checked={allOnPage} indeterminate={!allOnPage && rows.some((row) => selected.has(row.documentId))} onChange={toggleAll} />
                  </Table.Th>
                  {shown.map((name) => {
                    const sortable = view.metadatas[name]?.list.sortable !== false
                    const label = labelOf(view, name, 'list')
                    const isSorted = sortField === name
                    const order = sortOrder === 'DESC' ? 'DESC' : 'ASC'
                    return (
                      <Table.Th key={name} aria-sort={isSorted ? (order === 'ASC' ? 'ascending' : 'descending') : undefined}>
                        {sortable ? (
                          <Button
                            variant="transparent"
                            size="compact-xs"
                            p={0}
                            fw={600}
                            c={isSorted ? 'var(--mantine-color-text)' : 'dimmed'}
                            rightSection={isSorted ? order === 'ASC' ? <ArrowUp size={12} /> : <ArrowDown size={12} /> : null}
                            onClick={() => change({ sort: `${name}:${isSorted && order === 'ASC' ? 'DESC' : 'ASC'}` })}
                          >
                            {label}
                          </Button>
                        ) : (
                          label
                        )}
                      </Table.Th>
                    )
                  })}
                  {hasDrafts(type) && <Table.Th>{t('entry.status')}</Table.Th>}
                  {showsLocales && <Table.Th className="quire-wide">{t('entry.locales')}</Table.Th>}
                  {!shown.includes('updatedAt') && <Table.Th className="quire-wide">{t('entry.updated')}</Table.Th>}
                  <Table.Th w={40}><VisuallyHidden>{t('list.rowActions')}</VisuallyHidden></Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.map((row, index) => (
                  <Table.Tr
                    key={row.documentId}
                    data-selected={selected.has(row.documentId) || undefined}
                    bg={selected.has(row.documentId) ? 'var(--mantine-color-brand-light)' : undefined}
                    style={index === active ? { outline: '2px solid var(--mantine-color-brand-5)', outlineOffset: -2 } : undefined}
                  >
                    <Table.Td>
                      <Checkbox size="xs" aria-label={t('list.select', { title: titleOf(row) })} checked={selected.has(row.documentId)} onChange={() => toggle(row)} />
                    </Table.Td>
                    {shown.map((name, at) => (
                      <Table.Td key={name}>
                        <div className="quire-ellipsis">
                          {at === 0 || name === view.settings.mainField ? (
                            <Link
                              className="quire-title-link"
                              to="/content/$uid/$documentId"
                              params={{ uid, documentId: row.documentId }}
                              search={locale ? { locale } : {}}
                            >
                              {name === view.settings.mainField ? titleOf(row) : <ListCell type={type} name={name} row={row} mainField={view.metadatas[name]?.list.mainField} />}
                            </Link>
                          ) : (
                            <ListCell type={type} name={name} row={row} mainField={view.metadatas[name]?.list.mainField} />
                          )}
                        </div>
                      </Table.Td>
                    ))}
                    {hasDrafts(type) && <Table.Td>{row.status && <StatusBadge status={row.status} />}</Table.Td>}
                    {showsLocales && (
                      <Table.Td className="quire-wide">
                        <Group gap={4} wrap="nowrap">
                          {[...(row.locale ? [row.locale] : []), ...(row.localizations ?? []).map((one) => one.locale)].sort().map((code) => (
                            <Badge key={code} size="sm" variant="default" tt="none" fw={500} styles={{ label: { overflow: 'visible' } }} component="a" href={`/admin/content/${uid}/${row.documentId}?locale=${code}`} style={{ cursor: 'pointer' }}>
                              {code}
                            </Badge>
                          ))}
                        </Group>
                      </Table.Td>
                    )}
                    {!shown.includes('updatedAt') && (
                      <Table.Td className="quire-wide">{row.updatedAt && <RelativeTime at={row.updatedAt} size="sm" c="dimmed" />}</Table.Td>
                    )}
                    <Table.Td>
                      <Menu position="bottom-end">
                        <Menu.Target>
                          <ActionIcon size="sm" aria-label={t('list.actions', { title: titleOf(row) })}><Ellipsis size={15} /></ActionIcon>
                        </Menu.Target>
                        <Menu.Dropdown>
                          <Menu.Item leftSection={<Pencil size={14} />} onClick={() => openEntry(row)}>{may.update ? t('action.edit') : t('action.view')}</Menu.Item>
                          {may.create && <Menu.Item leftSection={<Copy size={14} />} onClick={() => void duplicate(row)}>{t('action.duplicate')}</Menu.Item>}
                          {may.publish && row.status !== 'published' && <Menu.Item onClick={() => void bulk.run('publish', [row])}>{t('action.publish')}</Menu.Item>}
                          {may.publish && row.status !== 'draft' && <Menu.Item onClick={() => bulk.ask('unpublish', [row])}>{t('action.unpublish')}</Menu.Item>}
                          {may.delete && <Menu.Divider />}
                          {may.delete && <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => bulk.ask('delete', [row])}>{t('action.delete')}</Menu.Item>}
                        </Menu.Dropdown>
                      </Menu>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </ScrollArea>
        </Paper>
      )}
      {list.data && list.data.pagination.total > 0 && (
        <Group justify="space-between">
          <Group gap="xs">
            <Select
              size="xs"
              w={76}
              aria-label={t('list.pageSize')}
              allowDeselect={false}
              data={[...new Set([...PAGE_SIZES, String(pageSize)])].sort((a, b) => Number(a) - Number(b))}
              value={String(pageSize)}
              onChange={(size) => change({ pageSize: size ? Number(size) : undefined })}
            />
            <Text size="xs" c="dimmed">{t('list.perPage')}</Text>
          </Group>
          {list.data.pagination.pageCount > 1 && (
            <Pagination
              size="sm"
              value={list.data.pagination.page}
              total={list.data.pagination.pageCount}
              onChange={(page) => change({ page })}
              getControlProps={(control) => ({ 'aria-label': t(`page.${control}`) })}
            />
          )}
        </Group>
      )}
    </Stack>
  )
}

function ListCell({ type, name, row, mainField }: { type: ContentType; name: string; row: Entry; mainField?: string }) {
  const attribute = type.attributes[name] ?? { type: 'string' }
  const { Cell } = fieldTypeOf(attribute)
  return <Cell value={row[name]} attribute={attribute} mainField={mainField} />
}

function SearchBox({ value, label, inputRef, onChange }: { value: string; label: string; inputRef: React.Ref<HTMLInputElement>; onChange: (value: string) => void }) {
  const { t } = useTranslation()
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  if (value !== known) {
    // The address has changed by other means, such as "Clear filters" or the back button.
    setKnown(value)
    setText(value)
  }
  const report = useDebouncedCallback((typed: string) => {
    setKnown(typed)
    onChange(typed)
  }, 250)
  const type = (typed: string) => {
    setText(typed)
    report(typed)
  }
  return (
    <TextInput
      ref={inputRef}
      size="xs"
      w={{ base: '100%', xs: 260 }}
      placeholder={label}
      aria-label={label}
      leftSection={<Search size={13} />}
      rightSection={text ? <CloseButton size="xs" aria-label={t('action.clear')} onClick={() => type('')} /> : null}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
    />
  )
}

function FilterMenu({ fields, value, onChange }: { fields: FilterField[]; value: FilterGroup | undefined; onChange: (value: FilterGroup | undefined) => void }) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const count = countRules(value)
  const [draft, setDraft] = useState<FilterGroup>({ all: true, items: [] })
  const open = () => {
    const first = fields[0]
    setDraft(value ?? { all: true, items: first ? [ruleFor(first)] : [] })
    setOpened(true)
  }
  // Menus of the controls stand in portals of their own: a click there is none outside.
  useEffect(() => {
    if (!opened) return
    const close = (event: MouseEvent) => {
      const target = event.target as HTMLElement
      if (!target.closest('[data-portal]') && !button.current?.contains(target)) setOpened(false)
    }
    document.addEventListener('mousedown', close)
    return () => document.removeEventListener('mousedown', close)
  }, [opened])
  const change = (group: FilterGroup) => {
    setDraft(group)
    onChange(group.items.length > 0 ? group : undefined)
  }
  return (
    <Popover opened={opened} onChange={setOpened} onDismiss={() => setOpened(false)} position="bottom-start" width={620} trapFocus withinPortal closeOnClickOutside={false} closeOnEscape={false}>
      <Popover.Target>
        <Button
          ref={button}
          variant={count > 0 ? 'light' : 'default'}
          leftSection={<Filter size={13} />}
          rightSection={count > 0 ? <Badge size="xs" circle>{count}</Badge> : undefined}
          onClick={() => (opened ? setOpened(false) : open())}
        >
          {t('list.filter')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown
        maw="96vw"
        onKeyDown={(event) => {
          // Escape closes the menu of a control first.
          const isMenuOpen = (event.target as HTMLElement).getAttribute('aria-expanded') === 'true'
          if (event.key === 'Escape' && !isMenuOpen) setOpened(false)
        }}
      >
        <ScrollArea.Autosize mah="60vh">
          <FilterBuilder fields={fields} group={draft} onChange={change} />
        </ScrollArea.Autosize>
        <Group justify="space-between" mt="sm">
          <Button variant="subtle" color="gray" disabled={draft.items.length === 0} onClick={() => change({ all: true, items: [] })}>{t('list.clearFilters')}</Button>
          <Button onClick={() => setOpened(false)}>{t('action.done')}</Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}

/** The rules in effect, each of which can be taken back. */
function FilterChips({ fields, value, onChange }: { fields: FilterField[]; value: FilterGroup | undefined; onChange: (value: FilterGroup | undefined) => void }) {
  const { t } = useTranslation()
  if (!value || countRules(value) === 0) return null
  const text = (item: FilterItem): string => {
    if (isGroup(item)) return `(${item.items.filter((one) => isGroup(one) || isComplete(one)).map(text).join(` ${item.all ? t('filter.and') : t('filter.or')} `)})`
    const field = fields.find((one) => fieldKey(one.path) === fieldKey(item.field))
    const operand = item.op === '$null' || item.op === '$notNull' ? '' : Array.isArray(item.value) ? item.field[1] === 'documentId' ? ` ${t('filter.chosen', { count: item.value.length })}` : ` ${item.value.join(', ')}` : ` ${item.value ?? ''}`
    return `${field?.label ?? fieldKey(item.field)} ${operatorLabel(t, item.op)}${operand}`
  }
  const remove = (index: number) => {
    const items = value.items.filter((_, at) => at !== index)
    onChange(items.length > 0 ? { ...value, items } : undefined)
  }
  return (
    <Group gap={6}>
      {value.items.map((item, index) =>
        isGroup(item) ? countRules(item) > 0 && <Chip key={index} text={text(item)} onRemove={() => remove(index)} /> : isComplete(item) && <Chip key={index} text={text(item)} onRemove={() => remove(index)} />,
      )}
      {value.items.length > 1 && <Text size="xs" c="dimmed">{value.all ? t('filter.allHold') : t('filter.anyHolds')}</Text>}
      <Button variant="subtle" size="compact-xs" onClick={() => onChange(undefined)}>{t('list.clearFilters')}</Button>
    </Group>
  )
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  const { t } = useTranslation()
  return (
    <Pill withRemoveButton onRemove={onRemove} removeButtonProps={{ 'aria-label': t('filter.removeNamed', { name: text }), tabIndex: 0, 'aria-hidden': false }}>
      {text}
    </Pill>
  )
}

function ColumnMenu({ type, shown, onChange }: { type: ContentType; shown: string[]; onChange: (names: string[] | undefined) => void }) {
  const { t } = useTranslation()
  const view = useConfiguration(type.uid).contentType
  const ability = useAbility()
  const names = Object.entries(type.attributes)
    .filter(([name, attribute]) => name !== 'localizations' && name !== 'locale' && name !== 'publishedAt' && attribute.type !== 'password' && (['id', 'documentId', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'].includes(name) || (attribute.visible !== false && ability.canField('read', type.uid, name))))
    .map(([name]) => name)
  const move = (name: string, by: 1 | -1) => {
    const at = shown.indexOf(name)
    const to = at + by
    if (to < 0 || to >= shown.length) return
    const next = [...shown]
    next.splice(at, 1)
    next.splice(to, 0, name)
    onChange(next)
  }
  const ordered = [...shown.filter((name) => names.includes(name)), ...names.filter((name) => !shown.includes(name))]
  return (
    <Popover position="bottom-start" width={280} trapFocus withinPortal>
      <Popover.Target>
        <Button variant="default" leftSection={<Columns3 size={13} />}>{t('list.columns')}</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ScrollArea.Autosize mah={360}>
          <Stack gap={6}>
            {ordered.map((name) => {
              const isShown = shown.includes(name)
              const label = labelOf(view, name, 'list')
              return (
                <Group key={name} gap={4} wrap="nowrap">
                  <Switch
                    size="xs"
                    style={{ flex: 1 }}
                    label={label}
                    checked={isShown}
                    disabled={isShown && shown.length === 1}
                    onChange={() => onChange(isShown ? shown.filter((one) => one !== name) : [...shown, name])}
                  />
                  {isShown && (
                    <>
                      <Tooltip label={t('list.columnLeft')}><ActionIcon size="xs" aria-label={t('list.columnLeftNamed', { name: label })} onClick={() => move(name, -1)}><ArrowUp size={12} /></ActionIcon></Tooltip>
                      <Tooltip label={t('list.columnRight')}><ActionIcon size="xs" aria-label={t('list.columnRightNamed', { name: label })} onClick={() => move(name, 1)}><ArrowDown size={12} /></ActionIcon></Tooltip>
                    </>
                  )}
                </Group>
              )
            })}
          </Stack>
        </ScrollArea.Autosize>
        <Button mt="xs" variant="subtle" size="compact-xs" onClick={() => onChange(undefined)}>{t('list.columnsReset')}</Button>
      </Popover.Dropdown>
    </Popover>
  )
}

