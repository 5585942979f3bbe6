import {
  Anchor, AspectRatio, Breadcrumbs, Button, CloseButton, FileButton, Group, Pagination, Paper, Progress, ScrollArea, SimpleGrid,
  Stack, Text, TextInput, UnstyledButton,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, Folder as FolderIcon, Search, Upload as UploadIcon } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { useAbility } from '../api/hooks'
import { keys } from '../api/keys'
import type { Folder, MediaFile } from '../api/types'
import { EmptyState, ErrorState, Loading } from '../components/States'
import { toastRefusal } from '../components/toast'
import { FileDrop } from './FileDrop'
import { acceptOf, filterOf, isAllowed, sizeText } from './files'
import { Thumbnail } from './Thumbnail'
import { useUploads } from './uploads'

const PAGE_SIZE = 24

type Props = { multiple: boolean; allowedTypes?: string[] | null; onSelect: (files: MediaFile[]) => void }

/** Folders and files of the media library, to choose from. */
export function MediaBrowser({ multiple, allowedTypes, onSelect }: Props) {
  const { t } = useTranslation()
  const ability = useAbility()
  const queries = useQueryClient()
  const [trail, setTrail] = useState<Folder[]>([])
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search.trim(), 200)
  const [page, setPage] = useState(1)
  const [chosen, setChosen] = useState<MediaFile[]>([])
  const folder = trail[trail.length - 1] ?? null
  const mayUpload = ability.can('plugin::upload.assets.create')

  const files = useQuery({
    queryKey: [...keys.media, 'files', folder?.id ?? null, asked, page, allowedTypes],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const where = asked ? undefined : { folder: folder ? { id: { $eq: folder.id } } : { id: { $null: true } } }
      const parts = [where, filterOf(allowedTypes)].filter((part) => part !== undefined)
      const found = await request('GET /upload/files', {
        query: {
          page, pageSize: PAGE_SIZE, sort: 'createdAt:DESC', _q: asked || undefined,
          filters: parts.length > 0 ? ({ $and: parts } as never) : undefined,
        },
      })
      return found as unknown as { results: MediaFile[]; pagination: { pageCount: number; total: number } }
    },
  })
  const folders = useQuery({
    queryKey: [...keys.media, 'folders', folder?.id ?? null],
    enabled: asked === '',
    queryFn: async () => {
      const found = await request('GET /upload/folders', {
        query: { filters: { parent: folder ? { id: { $eq: folder.id } } : { id: { $null: true } } }, pageSize: 100 } as never,
      })
      return (found as unknown as { data: Folder[] }).data
    },
  })
  const toggle = (file: MediaFile) =>
    setChosen((all) =>
      all.some((one) => one.id === file.id)
        ? all.filter((one) => one.id !== file.id)
        : multiple
          ? [...all, file]
          : [file],
    )
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const arrived = useCallback(
    (file: MediaFile) => {
      void queries.invalidateQueries({ queryKey: keys.media })
      // A file uploaded for a field of one file is meant for it, unless the dialog was closed meanwhile.
      if (multiple) setChosen((all) => [...all, file])
      else if (isOpen.current) onSelect([file])
    },
    [queries, multiple, onSelect],
  )
  const { uploads, start } = useUploads(arrived)
  const begin = (list: File[]) => {
    const fitting = list.filter((file) => isAllowed(file.type, allowedTypes))
    if (fitting.length < list.length) toastRefusal(t('media.notAllowed', { types: allowedTypes?.join(', ') ?? '' }))
    start(multiple ? fitting : fitting.slice(0, 1), folder?.id ?? null)
  }
  const enter = (next: Folder[]) => {
    setTrail(next)
    setPage(1)
  }
  const isEmpty = files.data?.results.length === 0 && (asked !== '' || folders.data?.length === 0)
  return (
    <FileDrop className="quire-drop" p="sm" onFiles={begin} disabled={!mayUpload}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="sm">
            <TextInput
              size="xs"
              w={240}
              data-autofocus
              placeholder={t('media.search')}
              aria-label={t('media.search')}
              leftSection={<Search size={13} />}
              value={search}
              onChange={(event) => {
                setSearch(event.currentTarget.value)
                setPage(1)
              }}
            />
            {asked === '' && (
              <Breadcrumbs separatorMargin={6}>
                <Anchor component="button" size="sm" onClick={() => enter([])}>{t('media.library')}</Anchor>
                {trail.map((one, index) => (
                  <Anchor key={one.id} component="button" size="sm" onClick={() => enter(trail.slice(0, index + 1))}>{one.name}</Anchor>
                ))}
              </Breadcrumbs>
            )}
          </Group>
          {mayUpload && (
            <FileButton multiple={multiple} accept={acceptOf(allowedTypes)} onChange={(list) => begin(Array.isArray(list) ? list : list ? [list] : [])}>
              {(props) => (
                <Button variant="default" leftSection={<UploadIcon size={14} />} {...props}>{t('media.upload')}</Button>
              )}
            </FileButton>
          )}
        </Group>
        {uploads.map((one) => (
          <Group key={one.id} gap="xs" wrap="nowrap">
            <Text size="xs" className="quire-ellipsis" w={180}>{one.name}</Text>
            {one.error ? (
              <Text size="xs" c="var(--mantine-color-error)" style={{ flex: 1 }} role="alert">{one.error}</Text>
            ) : (
              <Progress value={one.share * 100} style={{ flex: 1 }} aria-label={t('media.uploading', { name: one.name })} />
            )}
            {one.error && <Button size="compact-xs" variant="subtle" onClick={one.retry}>{t('action.retry')}</Button>}
            <CloseButton size="xs" aria-label={t('media.cancel', { name: one.name })} onClick={one.cancel} />
          </Group>
        ))}
        <ScrollArea.Autosize mah="min(52vh, 520px)" type="auto" offsetScrollbars="y" viewportProps={{ tabIndex: 0, 'aria-label': t('media.library'), role: 'region' }}>
          {files.error && <ErrorState error={files.error} retry={() => void files.refetch()} />}
          {!files.data && !files.error && <Loading rows={3} height={110} />}
          {isEmpty && (
            <EmptyState title={asked ? t('media.nothingFound') : t('media.empty')}>{mayUpload && !asked ? t('media.emptyHint') : null}</EmptyState>
          )}
          <SimpleGrid cols={{ base: 2, xs: 3, sm: 4, md: 6 }} spacing="sm" p={2}>
            {asked === '' && page === 1 && folders.data?.map((one) => (
              <UnstyledButton key={`folder ${one.id}`} onClick={() => enter([...trail, one])}>
                <Paper withBorder p="xs" h="100%" className="quire-surface">
                  <Group gap={8} wrap="nowrap">
                    <FolderIcon size={18} />
                    <Text size="sm" className="quire-ellipsis">{one.name}</Text>
                  </Group>
                </Paper>
              </UnstyledButton>
            ))}
            {files.data?.results.map((file) => {
              const at = chosen.findIndex((one) => one.id === file.id)
              return (
                <UnstyledButton
                  key={file.id}
                  aria-pressed={at >= 0}
                  aria-label={file.name}
                  onClick={() => toggle(file)}
                  onDoubleClick={() => onSelect(multiple && at < 0 ? [...chosen, file] : [file])}
                >
                  <Paper
                    withBorder
                    className="quire-surface"
                    style={{ overflow: 'hidden', position: 'relative', outline: at >= 0 ? '2px solid var(--mantine-color-brand-6)' : undefined }}
                  >
                    <AspectRatio ratio={4 / 3}><Thumbnail file={file} /></AspectRatio>
                    {at >= 0 && (
                      <Group pos="absolute" top={6} right={6} bg="brand.6" c="white" px={5} h={20} gap={2} style={{ borderRadius: 10 }}>
                        <Check size={12} />
                        {multiple && <Text size="xs" c="white">{at + 1}</Text>}
                      </Group>
                    )}
                    <Stack gap={0} p={6}>
                      <Text size="xs" fw={500} className="quire-ellipsis">{file.name}</Text>
                      <Text size="xs" c="dimmed">
                        {[file.width && file.height ? `${file.width} × ${file.height}` : null, sizeText(file.size)].filter(Boolean).join(' · ')}
                      </Text>
                    </Stack>
                  </Paper>
                </UnstyledButton>
              )
            })}
          </SimpleGrid>
        </ScrollArea.Autosize>
        <Group justify="space-between">
          {(files.data?.pagination.pageCount ?? 1) > 1 ? (
            <Pagination
              size="sm"
              value={page}
              onChange={setPage}
              total={files.data?.pagination.pageCount ?? 1}
              getControlProps={(control) => ({ 'aria-label': t(`page.${control}`) })}
            />
          ) : (
            <span />
          )}
          <Button size="sm" disabled={chosen.length === 0} onClick={() => onSelect(chosen)}>
            {multiple ? t('media.useMany', { count: chosen.length }) : t('media.useOne')}
          </Button>
        </Group>
      </Stack>
    </FileDrop>
  )
}
