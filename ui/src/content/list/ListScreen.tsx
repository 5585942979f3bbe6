import { Button, Group, Loader, Pagination, Paper, Select, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle, useLocalStorage, useMediaQuery } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus, SlidersHorizontal } from 'lucide-react'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { hasDrafts, isLocalized, useAbility, useConfiguration, useLocales, useModel } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { ContentType, Entry, EntryPage, Status } from '../../api/types'
import { FailedRules } from '../../components/FailedRules'
import { EmptyState, ErrorState, Loading, NoPermission } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { queries } from '../../queries'
import { AddToRelease } from '../../releases/lazy'
import { ReviewFilter } from '../../review/ReviewFilter'
import { useScreenLetters } from '../../shell/keyboard'
import { MissingComputedFields } from '../ComputedErrors'
import { NextMissing } from '../editor/NextMissing'
import { useBulk, type Chosen } from './bulk'
import { BulkEdit, useAlikeAttributes } from './BulkEdit'
import { ColumnMenu } from './ColumnMenu'
import { filterFields } from './fields'
import { FilterChips, FilterMenu } from './FilterMenu'
import { countRules } from './filters'
import { rememberSearch } from './lastSearch'
import { LocaleSelect, MissingSelect } from './LocaleSelects'
import { ListMenu, ViewMenu } from './ListMenu'
import { ListTable, type Density } from './ListTable'
import { pageQuery } from './query'
import { SearchBox } from './SearchBox'
import { useListState } from './useListState'

type Chosens = ReadonlyMap<string, Chosen>
type Selection = { of: string | undefined; entries: Chosens }
const NOTHING: Chosens = new Map()

const PAGE_SIZES = ['10', '20', '50', '100', '500', '1000']
const LARGEST_PAGE = 1000
const STATUSES: Status[] = ['draft', 'modified', 'published']

/** The entries of a collection type. */
export function ListScreen({ type }: { type: ContentType }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const ability = useAbility()
  const model = useModel()
  const locales = useLocales()
  const view = useConfiguration(type.uid).contentType
  const state = useListState(type)
  const { search, change, locale, columns, query, pageSize } = state
  const [selection, setSelection] = useState<Selection>({ of: locale, entries: new Map() })
  const [cursor, setCursor] = useState({ of: query, at: -1 })
  const searchField = useRef<HTMLInputElement>(null)
  const { uid, info } = type
  useDocumentTitle(`${info.displayName} · Quire`)
  useEffect(() => rememberSearch(uid, search), [uid, search])

  const list = useQuery({ ...pageQuery(uid, query), placeholderData: keepPreviousData })
  const rows = useMemo(() => list.data?.results ?? [], [list.data])
  const total = list.data?.pagination.total
  // Another locale has another selection, another list another cursor.
  const selected = selection.of === locale ? selection.entries : NOTHING
  const setSelected = (change: (entries: Chosens) => Chosens) =>
    setSelection((one) => ({ of: locale, entries: change(one.of === locale ? one.entries : NOTHING) }))
  const clearSelection = () => setSelection({ of: locale, entries: NOTHING })
  const active = cursor.of === query ? cursor.at : -1
  const moveCursor = (by: number) =>
    rows.length > 0 && setCursor({ of: query, at: Math.max(0, Math.min(active + by, rows.length - 1)) })

  const may = {
    create: ability.canContent('create', uid, locale),
    update: ability.canContent('update', uid, locale),
    delete: ability.canContent('delete', uid, locale),
    publish: hasDrafts(type) && ability.canContent('publish', uid, locale),
  }
  const titleOf = (entry: Entry) => String(entry[view.settings.mainField] ?? '') || t('entry.untitled')
  const chosen = (entry: Entry): Chosen => ({ documentId: entry.documentId, title: titleOf(entry) })
  const bulk = useBulk(type, locale, clearSelection)
  const [isEditing, setEditing] = useState(false)
  const [isReleasing, setReleasing] = useState(false)
  const mayEditAlike = useAlikeAttributes(type).length > 0 && may.update
  const [density, setDensity] = useLocalStorage<Density>({ key: 'quire-admin-density', defaultValue: 'normal' })
  const openEntry = (entry: Entry) =>
    void navigate({ to: '/content/$uid/$documentId', params: { uid, documentId: entry.documentId }, search: locale ? { locale } : {} })
  const create = () =>
    void navigate({ to: '/content/$uid/$documentId', params: { uid, documentId: 'create' }, search: locale ? { locale } : {} })
  const toggle = (entry: Entry) =>
    setSelected((all) => {
      const next = new Map(all)
      if (!next.delete(entry.documentId)) next.set(entry.documentId, chosen(entry))
      return next
    })
  const allOnPage = rows.length > 0 && rows.every((row) => selected.has(row.documentId))
  const toggleAll = () =>
    setSelected((all) => {
      const next = new Map(all)
      for (const row of rows) {
        if (allOnPage) next.delete(row.documentId)
        else next.set(row.documentId, chosen(row))
      }
      return next
    })
  useScreenLetters([
    ['/', () => searchField.current?.focus()],
    ['c', () => may.create && create()],
    ['j', () => moveCursor(1)],
    ['k', () => moveCursor(-1)],
    ['x', () => rows[active] && toggle(rows[active])],
    ['e', () => mayEditAlike && selected.size > 0 && setEditing(true)],
    ['shift+#', () => may.delete && selected.size > 0 && bulk.ask('delete', [...selected.values()])],
    ['#', () => may.delete && selected.size > 0 && bulk.ask('delete', [...selected.values()])],
  ])

  const isFiltered = Boolean(search.q) || Boolean(search.status) || search.stage !== undefined || search.assignee !== undefined || query.missingLocale !== undefined || countRules(search.filters) > 0
  // A phone shows what narrows a list when it is asked to.
  const isNarrow = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false })
  const [showsTools, setShowsTools] = useState(false)
  const hasTools = !isNarrow || showsTools
  const activeTools = [search.status, search.stage, search.assignee, query.missingLocale].filter((one) => one !== undefined).length + countRules(search.filters)
  const fields = useMemo(() => filterFields(type, view, model, ability), [type, view, model, ability])
  const showsLocales = isLocalized(type) && locales.length > 1
  /** The name of a locale whose entries may all be in other ones. */
  const elsewhere = showsLocales ? locales.find((one) => one.code === locale && !one.isDefault)?.name : undefined
  const shown = columns.filter((name) => type.attributes[name] || view.metadatas[name] || name === 'documentId' || name === 'id')

  const [isSelectingAll, setSelectingAll] = useState(false)
  const selectMatching = async () => {
    setSelectingAll(true)
    try {
      const found = new Map<string, Chosen>()
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const answer = (await request('GET /content-manager/collection-types/{uid}', {
          path: { uid }, query: { ...query, page, pageSize: LARGEST_PAGE, columns: view.settings.mainField },
        })) as unknown as EntryPage
        for (const entry of answer.results) found.set(entry.documentId, chosen(entry))
        pages = answer.pagination.pageCount
      }
      setSelected(() => found)
    } catch (error) {
      toastError(error)
    } finally {
      setSelectingAll(false)
    }
  }

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

  if (!ability.canContent('read', uid)) {
    return (
      <Stack p={{ base: 'sm', sm: 'lg' }} gap="sm">
        <Title order={1}>{info.displayName}</Title>
        <NoPermission>{t('list.noPermission', { type: info.displayName })}</NoPermission>
      </Stack>
    )
  }
  const mayRead = ability.canContent('read', uid, locale)
  return (
    <Stack p={{ base: 'sm', sm: 'lg' }} gap="sm" style={{ minWidth: 0 }}>
      <Group justify="space-between" align="flex-start">
        <Group gap="xs" align="baseline">
          <Title order={1}>{info.displayName}</Title>
          {total !== undefined && <Text size="sm" c="dimmed" role="status">{t('list.total', { count: total })}</Text>}
          {list.isFetching && <Loader size={14} role="img" aria-label={t('state.loading')} />}
        </Group>
        <Group gap="xs">
          {showsLocales && <LocaleSelect type={type} locale={locale} missing={search.missing} onChange={change} />}
          {may.create && (
            <Button leftSection={<Plus size={14} />} onClick={create}>
              {t('list.create')}
            </Button>
          )}
        </Group>
      </Group>
      <Group gap="xs">
        {view.settings.searchable && <SearchBox key={uid} value={search.q ?? ''} label={t('list.search', { type: info.displayName })} inputRef={searchField} onChange={(q) => change({ q: q || undefined }, true)} />}
        {isNarrow && (
          <Button variant={activeTools > 0 ? 'light' : 'default'} leftSection={<SlidersHorizontal size={13} />} aria-expanded={showsTools} onClick={() => setShowsTools(!showsTools)}>
            {t('list.tools')}{activeTools > 0 ? ` (${activeTools})` : ''}
          </Button>
        )}
        {isNarrow && <ListMenu type={type} state={state} />}
        {hasTools && view.settings.filterable && <FilterMenu fields={fields} value={search.filters} onChange={(filters) => change({ filters }, true)} />}
        {hasTools && hasDrafts(type) && (
          <Select
            size="xs"
            w={130}
            clearable
            placeholder={t('entry.status')}
            aria-label={t('entry.status')}
            clearButtonProps={{ 'aria-label': t('action.clear') }}
            value={search.status ?? null}
            data={STATUSES.map((status) => ({ value: status, label: t(`status.${status}`) }))}
            onChange={(status) => change({ status: (status as Status | null) ?? undefined })}
          />
        )}
        {hasTools && showsLocales && <MissingSelect type={type} locale={locale} missing={search.missing} onChange={change} />}
        {hasTools && hasDrafts(type) && <ReviewFilter uid={uid} stage={search.stage} assignee={search.assignee} onChange={(chosen) => change(chosen)} />}
        {hasTools && <ColumnMenu type={type} shown={shown} density={density} onDensity={setDensity} onChange={(names) => change({ columns: names, page: search.page })} />}
        {hasTools && <ViewMenu type={type} state={state} />}
        {!isNarrow && <ListMenu type={type} state={state} />}
        {search.missing && <NextMissing type={type} documentId={null} locale={search.missing} source={locale} label={t('coverage.translate')} variant="light" />}
      </Group>
      <FilterChips fields={fields} value={search.filters} onChange={(filters) => change({ filters })} />
      {selected.size > 0 && (
        <Paper withBorder p={6} className="quire-surface" role="region" aria-label={t('bulk.region')}>
          <Group gap="xs">
            <Text size="sm" px={6} role="status">{t('bulk.selected', { count: selected.size })}</Text>
            {allOnPage && total !== undefined && total > selected.size && (
              <Button variant="subtle" loading={isSelectingAll} onClick={() => void selectMatching()}>{t('bulk.selectMatching', { count: total })}</Button>
            )}
            {mayEditAlike && <Button variant="default" onClick={() => setEditing(true)}>{t('bulk.edit')}</Button>}
            {may.publish && <Button variant="default" onClick={() => bulk.ask('publish', [...selected.values()])}>{t('action.publish')}</Button>}
            {may.publish && <Button variant="default" onClick={() => bulk.ask('unpublish', [...selected.values()])}>{t('action.unpublish')}</Button>}
            {hasDrafts(type) && (may.publish || may.update) && <Button variant="default" onClick={() => setReleasing(true)}>{t('release.add')}</Button>}
            {may.delete && <Button variant="light" color="red" onClick={() => bulk.ask('delete', [...selected.values()])}>{t('action.delete')}</Button>}
            {!mayEditAlike && !may.publish && !may.delete && <Text size="xs" c="dimmed">{t('bulk.nothingAllowed')}</Text>}
            <Button variant="subtle" color="gray" ml="auto" onClick={clearSelection}>{t('bulk.clear')}</Button>
          </Group>
        </Paper>
      )}
      {isReleasing && (
        <Suspense>
          <AddToRelease
            entries={[...selected.keys()].map((documentId) => ({ contentType: uid, documentId, locale: isLocalized(type) ? (locale ?? null) : null }))}
            onClose={() => setReleasing(false)}
          />
        </Suspense>
      )}
      {isEditing && <BulkEdit type={type} locale={locale} entries={[...selected.values()]} onClose={() => setEditing(false)} onDone={clearSelection} />}
      {list.error && <ErrorState error={list.error} retry={() => void list.refetch()} />}
      <MissingComputedFields errors={list.data?.computedErrors} />
      <FailedRules rules={list.data?.failedRules} />
      {!list.data && !list.error && <Loading rows={10} />}
      {list.data && !mayRead && <NoPermission>{t('list.noPermissionInLocale', { type: info.displayName, locale: locale ?? '' })}</NoPermission>}
      {list.data && rows.length === 0 && mayRead && (
        <Paper withBorder className="quire-surface">
          {isFiltered ? (
            <EmptyState title={t('list.noneFound')} action={<Button variant="default" onClick={() => change({ q: undefined, filters: undefined, status: undefined, stage: undefined, assignee: undefined, missing: undefined })}>{t('list.clearFilters')}</Button>} />
          ) : (
            <EmptyState title={elsewhere ? t('list.noneInLocale', { type: info.displayName, locale: elsewhere }) : t('list.none', { type: info.displayName })} action={may.create ? <Button leftSection={<Plus size={14} />} onClick={create}>{t('list.create')}</Button> : undefined}>
              {ability.isConditional('read', uid) ? t('list.noneForRoleHint') : elsewhere ? t('list.noneInLocaleHint') : t('list.noneHint')}
            </EmptyState>
          )}
        </Paper>
      )}
      {rows.length > 0 && (
        <ListTable
          type={type}
          state={state}
          rows={rows}
          shown={shown}
          selected={selected}
          active={active}
          density={density}
          showsLocales={showsLocales}
          mayUpdate={may.update}
          titleOf={titleOf}
          actions={{
            toggle,
            toggleAll,
            open: openEntry,
            duplicate: may.create ? (row) => void duplicate(row) : undefined,
            publish: may.publish ? (row) => void bulk.run('publish', [chosen(row)]) : undefined,
            unpublish: may.publish ? (row) => bulk.ask('unpublish', [chosen(row)]) : undefined,
            remove: may.delete ? (row) => bulk.ask('delete', [chosen(row)]) : undefined,
          }}
        />
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
