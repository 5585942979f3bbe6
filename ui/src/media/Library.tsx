import {
  ActionIcon, Anchor, Breadcrumbs, Button, Checkbox, FileButton, Group, Loader, Menu, Pagination, Paper, Select, SegmentedControl, Stack, Text, Title, Tooltip,
} from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Folder as FolderIcon, FolderPlus, LayoutGrid, Link2, List, Pencil, Trash2, Upload as UploadIcon } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAbility } from '../api/hooks'
import { keys } from '../api/keys'
import type { Folder, MediaFile } from '../api/types'
import { EmptyState, ErrorState, Loading } from '../components/States'
import { SearchBox } from '../content/list/SearchBox'
import { t as translate } from '../i18n'
import { queries } from '../queries'
import { startJob } from '../shell/jobs'
import { DeleteDialog, DescribeDialog, FolderDialog, ImportDialog, MoveDialog } from './dialogs'
import { FileDrawer } from './FileDrawer'
import { FileDrop } from './FileDrop'
import { Files } from './Files'
import { FILE_KINDS, filesQuery, LACKS, structureQuery, trailTo, type LibrarySearch } from './library'
import { uploadFile } from './uploads'

const AT_ONCE = 3
const SORTS = ['createdAt:DESC', 'createdAt:ASC', 'name:ASC', 'name:DESC', 'size:DESC'] as const

type Dialog = 'folder' | 'rename' | 'move' | 'delete' | 'describe' | 'import' | 'moveFolder' | 'deleteFolder'

/** All files of the project, by folder. */
export function Library() {
  const { t } = useTranslation()
  const ability = useAbility()
  const navigate = useNavigate({ from: '/media' })
  const search = useSearch({ from: '/shell/media' })
  const [chosen, setChosen] = useState<ReadonlyMap<number, MediaFile>>(new Map())
  const [opened, setOpened] = useState<MediaFile | null>(null)
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const [doomed, setDoomed] = useState<MediaFile | null>(null)
  useDocumentTitle(`${t('media.library')} · Quire`)
  const change = (values: Partial<LibrarySearch>) => void navigate({ search: (before) => ({ ...before, page: undefined, ...values }) })
  const structure = useQuery(structureQuery)
  const files = useQuery(filesQuery(search))
  const isSearching = Boolean(search.q) || search.lacks !== undefined
  const trail = search.folder && structure.data ? (trailTo(structure.data, search.folder) ?? []) : []
  const folder = trail[trail.length - 1]
  const folders = isSearching ? [] : (folder ? folder.children : structure.data) ?? []
  const results = files.data?.results ?? []
  const may = {
    upload: ability.can('plugin::upload.assets.create'),
    update: ability.can('plugin::upload.assets.update'),
  }
  const toggle = (file: MediaFile) =>
    setChosen((all) => {
      const next = new Map(all)
      if (!next.delete(file.id)) next.set(file.id, file)
      return next
    })
  const clear = () => setChosen(new Map())
  const isAllChosen = results.length > 0 && results.every((file) => chosen.has(file.id))
  const open = (id: number | undefined) => {
    clear()
    change({ folder: id, q: undefined, lacks: undefined })
  }
  const close = () => setDialog(null)
  const done = () => {
    close()
    clear()
  }
  const begin = (list: File[]) => void uploadAll(list, folder?.id ?? null)
  const pageCount = files.isPlaceholderData ? undefined : files.data?.pageCount
  useEffect(() => {
    if (pageCount && search.page && search.page > pageCount) void navigate({ search: (before) => ({ ...before, page: pageCount }), replace: true })
  }, [pageCount, search.page, navigate])

  return (
    <FileDrop p={{ base: 'sm', sm: 'lg' }} style={{ minHeight: '100%', borderColor: 'transparent' }} className="quire-drop" onFiles={begin} disabled={!may.upload} pasteAnywhere>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs" align="baseline">
            <Title order={1}>{t('media.library')}</Title>
            {typeof files.data?.total === 'number' && <Text size="sm" c="dimmed" role="status">{t('media.total', { count: files.data.total })}</Text>}
            {files.isFetching && <Loader size={14} aria-label={t('state.loading')} />}
          </Group>
          {may.upload && (
            <Group gap="xs">
              <Button variant="default" leftSection={<Link2 size={14} />} onClick={() => setDialog('import')}>{t('media.import')}</Button>
              <Button variant="default" leftSection={<FolderPlus size={14} />} onClick={() => setDialog('folder')}>{t('media.newFolder')}</Button>
              <FileButton multiple onChange={begin}>
                {(props) => <Button leftSection={<UploadIcon size={14} />} {...props}>{t('media.upload')}</Button>}
              </FileButton>
            </Group>
          )}
        </Group>
        <Group gap="xs">
          {search.lacks !== 'usage' && <SearchBox value={search.q ?? ''} label={t('media.search')} inputRef={null} onChange={(q) => change({ q: q || undefined })} />}
          {!search.lacks && <Choice label={t('media.kind')} value={search.kind} values={FILE_KINDS} name={(kind) => t(`media.kind.${kind}`)} onChange={(kind) => change({ kind })} />}
          <Choice label={t('media.lacks')} value={search.lacks} values={LACKS} name={(lack) => t(`media.lacks.${lack}`)} onChange={(lacks) => change({ lacks, q: undefined, kind: undefined })} />
          {search.lacks !== 'usage' && <Select size="xs" w={150} allowDeselect={false} aria-label={t('media.sort')} value={search.sort ?? SORTS[0]} data={SORTS.map((value) => ({ value, label: t(`media.sort.${value}`) }))} onChange={(sort) => change({ sort: sort ?? undefined })} />}
          <Tooltip label={t('list.selectAll')}>
            <Checkbox
              size="xs"
              aria-label={t('list.selectAll')}
              disabled={results.length === 0}
              checked={isAllChosen}
              indeterminate={!isAllChosen && chosen.size > 0}
              onChange={() => setChosen(isAllChosen ? new Map() : new Map(results.map((file) => [file.id, file])))}
            />
          </Tooltip>
          <SegmentedControl
            size="xs"
            aria-label={t('media.view')}
            value={search.view ?? 'grid'}
            onChange={(view) => change({ view: view === 'table' ? 'table' : undefined })}
            data={[
              { value: 'grid', label: <LayoutGrid size={14} role="img" aria-label={t('media.view.grid')} /> },
              { value: 'table', label: <List size={14} role="img" aria-label={t('media.view.table')} /> },
            ]}
          />
        </Group>
        {!isSearching && (
          <Group gap="xs">
            <Breadcrumbs separatorMargin={6}>
              <Anchor component="button" size="sm" onClick={() => open(undefined)}>{t('media.allFolders')}</Anchor>
              {trail.map((one) => <Anchor key={one.id} component="button" size="sm" onClick={() => open(one.id)}>{one.name}</Anchor>)}
            </Breadcrumbs>
            {folder && may.update && (
              <Menu position="bottom-start">
                <Menu.Target><ActionIcon size="sm" aria-label={t('media.folderActions', { name: folder.name })}><Pencil size={13} /></ActionIcon></Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item leftSection={<Pencil size={14} />} onClick={() => setDialog('rename')}>{t('media.renameFolder')}</Menu.Item>
                  <Menu.Item leftSection={<FolderIcon size={14} />} onClick={() => setDialog('moveFolder')}>{t('media.move')}</Menu.Item>
                  <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => setDialog('deleteFolder')}>{t('action.delete')}</Menu.Item>
                </Menu.Dropdown>
              </Menu>
            )}
          </Group>
        )}
        {chosen.size > 0 && (
          <Paper withBorder p={6} className="quire-surface" role="region" aria-label={t('bulk.region')}>
            <Group gap="xs">
              <Text size="sm" px={6} role="status">{t('bulk.selected', { count: chosen.size })}</Text>
              {may.update ? (
                <>
                  <Button variant="default" onClick={() => setDialog('describe')}>{t('media.describe')}</Button>
                  <Button variant="default" onClick={() => setDialog('move')}>{t('media.move')}</Button>
                  <Button variant="light" color="red" onClick={() => setDialog('delete')}>{t('action.delete')}</Button>
                </>
              ) : (
                <Text size="xs" c="dimmed">{t('media.readOnly')}</Text>
              )}
              <Button variant="subtle" color="gray" ml="auto" onClick={clear}>{t('bulk.clear')}</Button>
            </Group>
          </Paper>
        )}
        {files.error && <ErrorState error={files.error} retry={() => void files.refetch()} />}
        {!files.data && !files.error && <Loading rows={4} height={120} />}
        {files.data && results.length === 0 && folders.length === 0 && (
          <Paper withBorder className="quire-surface">
            <EmptyState
              title={isSearching || search.kind ? t('media.nothingFound') : t('media.empty')}
              action={isSearching || search.kind ? <Button variant="default" onClick={() => change({ q: undefined, kind: undefined, lacks: undefined })}>{t('list.clearFilters')}</Button> : undefined}
            >
              {may.upload && !isSearching && !search.kind ? t('media.emptyHint') : null}
            </EmptyState>
          </Paper>
        )}
        <Files files={results} folders={folders} asTable={search.view === 'table'} chosen={chosen} onToggle={toggle} onOpen={setOpened} onFolder={(one) => open(one.id)} />
        {(files.data?.pageCount ?? 1) > 1 && (
          <Pagination size="sm" value={search.page ?? 1} total={files.data?.pageCount ?? 1} onChange={(page) => change({ page })} getControlProps={(control) => ({ 'aria-label': t(`page.${control}`) })} />
        )}
      </Stack>
      {opened && <FileDrawer file={opened} onClose={() => setOpened(null)} onChanged={setOpened} onDelete={may.update ? (file) => { setOpened(null); setDoomed(file) } : undefined} />}
      {doomed && <DeleteDialog files={[doomed]} folders={[]} onClose={() => setDoomed(null)} onDone={() => { setDoomed(null); clear() }} />}
      {dialogOf(dialog, folder, trail[trail.length - 2]?.id ?? null, [...chosen.values()], close, done, () => { done(); open(trail[trail.length - 2]?.id) })}
    </FileDrop>
  )
}

function dialogOf(dialog: Dialog | null, folder: Folder | undefined, parent: number | null, files: MediaFile[], onClose: () => void, onDone: () => void, onLeft: () => void): ReactNode {
  if (dialog === 'folder') return <FolderDialog parent={folder?.id ?? null} onClose={onClose} onDone={onDone} />
  if (dialog === 'import') return <ImportDialog folder={folder?.id ?? null} onClose={onClose} onDone={onDone} />
  if (dialog === 'move') return <MoveDialog fileIds={files.map((file) => file.id)} folderIds={[]} onClose={onClose} onDone={onDone} />
  if (dialog === 'delete') return <DeleteDialog files={files} folders={[]} onClose={onClose} onDone={onDone} />
  if (dialog === 'describe') return <DescribeDialog files={files} onClose={onClose} onDone={onDone} />
  if (!folder) return null
  if (dialog === 'rename') return <FolderDialog folder={folder} parent={parent} onClose={onClose} onDone={onDone} />
  if (dialog === 'moveFolder') return <MoveDialog fileIds={[]} folderIds={[folder.id]} onClose={onClose} onDone={onDone} />
  if (dialog === 'deleteFolder') return <DeleteDialog files={[]} folders={[folder]} onClose={onClose} onDone={onLeft} />
  return null
}

function Choice<Value extends string>({ label, value, values, name, onChange }: { label: string; value: Value | undefined; values: readonly Value[]; name: (value: Value) => string; onChange: (value: Value | undefined) => void }) {
  const { t } = useTranslation()
  return (
    <Select
      size="xs"
      w={150}
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

/** Upload files as a job, a few at a time. */
async function uploadAll(list: File[], folder: number | null): Promise<void> {
  const left = [...list]
  const failed: File[] = []
  await startJob({
    title: translate('media.uploadTitle', { count: list.length }),
    total: list.length,
    retry: () => void uploadAll([...failed, ...left], folder),
    run: async (report, signal) => {
      const work = async () => {
        for (let file = left.shift(); file && !signal.aborted; file = left.shift()) {
          try {
            await uploadFile(file, folder, signal)
          } catch (error) {
            failed.push(file)
            if (!signal.aborted) report.fail({ title: file.name, message: error instanceof Error ? error.message : String(error) })
          }
          report.advance(1)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
    },
  })
  await queries.invalidateQueries({ queryKey: keys.media })
}
