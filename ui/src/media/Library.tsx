import { ActionIcon, Anchor, Box, Breadcrumbs, Button, Checkbox, FileButton, Group, Loader, Menu, Pagination, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Folder as FolderIcon, FolderPlus, Link2, Pencil, Trash2, Upload as UploadIcon } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { useAbility } from '../api/hooks'
import type { Folder, MediaFile } from '../api/types'
import { EmptyState, ErrorState, Loading, MissingScreenPermission } from '../components/States'
import { toast, toastError } from '../components/toast'
import { DescribeDialog } from './DescribeDialog'
import { DeleteDialog, FolderDialog, MoveDialog, refreshMedia } from './dialogs'
import type { DraggedItems } from './dragging'
import { FileDrawer } from './FileDrawer'
import { FileDrop } from './FileDrop'
import { uploadAll } from './fileJobs'
import { Files } from './Files'
import { FolderTree } from './FolderTree'
import { ImportDialog } from './ImportDialog'
import { filesQuery, FILTERS, isEverywhere, NO_FILTERS, structureQuery, trailTo, unusedQuery, type LibrarySearch } from './library'
import { LibraryToolbar } from './LibraryToolbar'

type Dialog = 'folder' | 'rename' | 'move' | 'delete' | 'describe' | 'import' | 'moveFolder' | 'deleteFolder'

const READ = 'plugin::upload.read'

/** The files that the library shows: a page of them, or those that nothing uses as far as the server has looked. */
function useFiles(search: LibrarySearch) {
  const isUnused = search.lacks === 'usage'
  const page = useQuery(filesQuery(search))
  const unused = useInfiniteQuery(unusedQuery(isUnused))
  if (!isUnused) return { ...page, results: page.data?.results ?? [], total: page.data?.total, pageCount: page.isPlaceholderData ? undefined : page.data?.pageCount, lookFurther: undefined }
  return {
    ...unused,
    results: unused.data?.pages.flatMap(({ files }) => files) ?? [],
    total: unused.data && !unused.hasNextPage ? unused.data.pages.reduce((sum, { files }) => sum + files.length, 0) : undefined,
    pageCount: 1,
    lookFurther: unused.hasNextPage ? () => void unused.fetchNextPage() : undefined,
  }
}

/** All files of the project, by folder, for whoever may see them. */
export function Library() {
  const { t } = useTranslation()
  const mayRead = useAbility().can(READ)
  useDocumentTitle(`${t('media.library')} · Quire`)
  if (mayRead) return <ReadableLibrary />
  return (
    <Stack p={{ base: 'sm', sm: 'lg' }} gap="sm">
      <Title order={1}>{t('media.library')}</Title>
      <MissingScreenPermission screen={t('media.library')} permission={READ} />
    </Stack>
  )
}

function ReadableLibrary() {
  const { t } = useTranslation()
  const ability = useAbility()
  const navigate = useNavigate({ from: '/media' })
  const search = useSearch({ from: '/shell/media' })
  const [chosen, setChosen] = useState<ReadonlyMap<number, MediaFile>>(new Map())
  const [opened, setOpened] = useState<MediaFile | null>(null)
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const [doomed, setDoomed] = useState<MediaFile | null>(null)
  const change = (values: Partial<LibrarySearch>) => void navigate({ search: (before) => ({ ...before, page: undefined, ...values }) })
  const structure = useQuery(structureQuery)
  const files = useFiles(search)
  const { results, pageCount } = files
  const isSearching = isEverywhere(search)
  const isFiltered = FILTERS.some((name) => search[name] !== undefined)
  const trail = search.folder && structure.data ? (trailTo(structure.data, search.folder) ?? []) : []
  const folder = trail[trail.length - 1]
  const parent = trail[trail.length - 2]
  const folders = isSearching ? [] : (folder ? folder.children : structure.data) ?? []
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
  const isAllChosen = results.every((file) => chosen.has(file.id))
  const clear = () => setChosen(new Map())
  const open = (id: number | undefined) => {
    clear()
    change({ ...NO_FILTERS, kind: search.kind, folder: id })
  }
  const close = () => setDialog(null)
  const done = () => {
    close()
    clear()
  }
  const move = async (items: DraggedItems, destinationFolderId: number | null) => {
    // A folder that is dropped onto itself stays where it is.
    if (items.folderIds.includes(destinationFolderId ?? -1)) return
    try {
      await request('POST /upload/actions/bulk-move', { body: { ...items, destinationFolderId } })
      toast(t('media.moved', { count: items.fileIds.length + items.folderIds.length }))
      clear()
    } catch (error) {
      toastError(error)
    }
    await refreshMedia()
  }
  const onMove = may.update ? (items: DraggedItems, to: number | null) => void move(items, to) : undefined
  const begin = (list: File[]) => void uploadAll(list, folder?.id ?? null)
  useEffect(() => {
    if (pageCount && search.page && search.page > pageCount) void navigate({ search: (before) => ({ ...before, page: pageCount }), replace: true })
  }, [pageCount, search.page, navigate])

  return (
    <FileDrop p={{ base: 'sm', sm: 'lg' }} style={{ minHeight: 'calc(100dvh - var(--app-shell-header-offset, 0px))' }} className="quire-drop quire-page-drop" onFiles={begin} disabled={!may.upload} pasteAnywhere>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs" align="baseline">
            <Title order={1}>{t('media.library')}</Title>
            {typeof files.total === 'number' && <Text size="sm" c="dimmed" role="status">{t('media.total', { count: files.total })}</Text>}
            {files.isFetching && <Loader size={14} role="img" aria-label={t('state.loading')} />}
          </Group>
          {may.upload && (
            <Group gap={6}>
              <Button variant="default" leftSection={<Link2 size={14} />} onClick={() => setDialog('import')}>{t('media.import')}</Button>
              <Button variant="default" leftSection={<FolderPlus size={14} />} onClick={() => setDialog('folder')}>{t('media.newFolder')}</Button>
              <FileButton multiple onChange={begin}>
                {(props) => <Button leftSection={<UploadIcon size={14} />} {...props}>{t('media.upload')}</Button>}
              </FileButton>
            </Group>
          )}
        </Group>
        <LibraryToolbar search={search} onChange={change} />
        <Group align="flex-start" wrap="nowrap" gap="lg">
          {structure.data && structure.data.length > 0 && (
            <Box component="aside" aria-label={t('media.folders')} visibleFrom="md" w={210} style={{ flexShrink: 0, position: 'sticky', top: 12, maxHeight: 'calc(100vh - 24px)', overflowY: 'auto' }}>
              <FolderTree folders={structure.data} current={search.folder} isEverywhere={isSearching} onOpen={open} onMove={onMove} />
            </Box>
          )}
          <Stack gap="sm" style={{ flex: 1, minWidth: 0 }}>
            {(results.length > 0 || trail.length > 0) && (
              <Group gap="md">
                {results.length > 0 && (
                  <Checkbox
                    size="xs"
                    label={t('list.selectAll')}
                    checked={isAllChosen}
                    indeterminate={!isAllChosen && chosen.size > 0}
                    onChange={() => setChosen(isAllChosen ? new Map() : new Map(results.map((file) => [file.id, file])))}
                  />
                )}
                {!isSearching && trail.length > 0 && <FolderPath trail={trail} onOpen={open} onDialog={may.update ? setDialog : undefined} />}
              </Group>
            )}
            {chosen.size > 0 && <SelectionBar count={chosen.size} onDialog={may.update ? setDialog : undefined} onClear={clear} />}
            {files.error && <ErrorState error={files.error} retry={() => void files.refetch()} />}
            {!files.data && !files.error && <Loading rows={12} height={168} className="quire-cards" />}
            {files.data && results.length === 0 && folders.length === 0 && (
              <Paper withBorder className="quire-surface">
                <EmptyState
                  title={files.lookFurther ? t('media.unusedNotYet') : isFiltered ? t('media.nothingFound') : t('media.empty')}
                  action={isFiltered ? <Button variant="default" onClick={() => change(NO_FILTERS)}>{t('list.clearFilters')}</Button> : undefined}
                >
                  {may.upload && !isFiltered ? t('media.emptyHint') : null}
                </EmptyState>
              </Paper>
            )}
            <Files files={results} folders={folders} asTable={search.view === 'table'} chosen={chosen} onToggle={toggle} onOpen={setOpened} onFolder={(one) => open(one.id)} onMove={onMove} />
            {files.lookFurther && (
              <Group justify="center"><Button variant="default" loading={files.isFetching} onClick={files.lookFurther}>{t('media.lookFurther')}</Button></Group>
            )}
            {(pageCount ?? 1) > 1 && (
              <Pagination size="sm" value={search.page ?? 1} total={pageCount ?? 1} onChange={(page) => change({ page })} getControlProps={(control) => ({ 'aria-label': t(`page.${control}`) })} />
            )}
          </Stack>
        </Group>
      </Stack>
      {opened && <FileDrawer key={opened.id} file={opened} onClose={() => setOpened(null)} onChanged={setOpened} onDelete={may.update ? (file) => { setOpened(null); setDoomed(file) } : undefined} />}
      {doomed && <DeleteDialog files={[doomed]} folders={[]} onClose={() => setDoomed(null)} onDone={() => { setDoomed(null); clear() }} />}
      {dialogOf(dialog, folder, parent?.id ?? null, [...chosen.values()], close, done, () => { done(); open(parent?.id) })}
    </FileDrop>
  )
}

/** The folders that lead to the one that is shown, and what may be done to it. */
function FolderPath({ trail, onOpen, onDialog }: { trail: Folder[]; onOpen: (id: number | undefined) => void; onDialog?: (dialog: Dialog) => void }) {
  const { t } = useTranslation()
  const folder = trail[trail.length - 1]
  return (
    <Group gap="xs">
      <Breadcrumbs separatorMargin={6} style={{ flexWrap: 'wrap' }}>
        <Anchor component="button" size="sm" onClick={() => onOpen(undefined)}>{t('media.root')}</Anchor>
        {trail.map((one) => <Anchor key={one.id} component="button" size="sm" onClick={() => onOpen(one.id)}>{one.name}</Anchor>)}
      </Breadcrumbs>
      {folder && onDialog && (
        <Menu position="bottom-start">
          <Menu.Target><ActionIcon size="sm" aria-label={t('media.folderActions', { name: folder.name })}><Pencil size={13} /></ActionIcon></Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<Pencil size={14} />} onClick={() => onDialog('rename')}>{t('media.renameFolder')}</Menu.Item>
            <Menu.Item leftSection={<FolderIcon size={14} />} onClick={() => onDialog('moveFolder')}>{t('media.move')}</Menu.Item>
            <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => onDialog('deleteFolder')}>{t('action.delete')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  )
}

/** How many files are selected, and what may be done to all of them. */
function SelectionBar({ count, onDialog, onClear }: { count: number; onDialog?: (dialog: Dialog) => void; onClear: () => void }) {
  const { t } = useTranslation()
  return (
    <Paper withBorder p={6} className="quire-surface" role="region" aria-label={t('bulk.region')}>
      <Group gap="xs">
        <Text size="sm" px={6} role="status">{t('bulk.selected', { count })}</Text>
        {onDialog ? (
          <>
            <Button variant="default" onClick={() => onDialog('describe')}>{t('media.describe')}</Button>
            <Button variant="default" onClick={() => onDialog('move')}>{t('media.move')}</Button>
            <Button variant="light" color="red" onClick={() => onDialog('delete')}>{t('action.delete')}</Button>
          </>
        ) : (
          <Text size="xs" c="dimmed">{t('media.readOnly')}</Text>
        )}
        <Button variant="subtle" color="gray" ml="auto" onClick={onClear}>{t('bulk.clear')}</Button>
      </Group>
    </Paper>
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
