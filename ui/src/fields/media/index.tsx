import { ActionIcon, AspectRatio, Box, Button, Group, Modal, Paper, SimpleGrid, Stack, Text, Tooltip } from '@mantine/core'
import { ImagePlus, Pencil, X } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, request } from '../../api/client'
import { useAbility } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { MediaFile } from '../../api/types'
import { keepOpenWithInput } from '../../components/dialogs'
import { toastRefusal } from '../../components/toast'
import { useField } from '../../content/editor/store'
import { FileDrop } from '../../media/FileDrop'
import { FileForm } from '../../media/FileForm'
import { isAllowed, sizeText } from '../../media/files'
import { openMediaDialog, preloadMediaDialog } from '../../media/openMediaDialog'
import { Thumbnail } from '../../media/Thumbnail'
import { useUploads } from '../../media/uploads'
import { queries } from '../../queries'
import { Nothing } from '../shared/cells'
import { ListDiff } from '../shared/ListDiff'
import { listChanges } from '../shared/listChanges'
import { TextFilter } from '../shared/filters'
import { FieldFrame } from '../shared/Frame'
import { PRESENT } from '../shared/operators'
import { useFocusAfterRemoval } from '../shared/useFocusAfterRemoval'
import { DragHandle, moveItem, SortableItem, SortableList } from '../shared/Sortable'
import type { CellProps, DiffProps, FieldType, InputProps } from '../types'

const filesOf = (value: unknown): MediaFile[] =>
  Array.isArray(value) ? (value as MediaFile[]) : value && typeof value === 'object' ? [value as MediaFile] : []

function Input(props: InputProps) {
  const { t } = useTranslation()
  const ability = useAbility()
  const { value, error, set, change } = useField<unknown>(props.path)
  const [edited, setEdited] = useState<MediaFile | null>(null)
  const { attribute, locked } = props
  const multiple = attribute.multiple === true
  const files = filesOf(value)
  const mayUpload = ability.can('plugin::upload.assets.create') && !locked
  const { list, onRemove } = useFocusAfterRemoval(files.length, String)
  const put = (list: MediaFile[]) => set(multiple ? list : (list[0] ?? null))
  const add = useCallback(
    (list: MediaFile[]) =>
      change((current) => {
        if (!multiple) return list[list.length - 1] ?? current
        const known = filesOf(current)
        return [...known, ...list.filter((file) => !known.some((one) => one.id === file.id))]
      }),
    [change, multiple],
  )
  const arrived = useCallback(
    (file: MediaFile) => {
      void queries.invalidateQueries({ queryKey: keys.media })
      add([file])
    },
    [add],
  )
  const { uploads, start } = useUploads(arrived)
  const begin = (list: File[]) => {
    const fitting = list.filter((file) => isAllowed(file.type, attribute.allowedTypes))
    if (fitting.length < list.length) toastRefusal(t('media.notAllowed', { types: attribute.allowedTypes?.join(', ') ?? '' }))
    start(multiple ? fitting : fitting.slice(0, 1), null)
  }
  useEffect(() => {
    if (!locked) preloadMediaDialog()
  }, [locked])
  const chooseLabel = multiple ? t('media.chooseMany') : files.length > 0 ? t('media.replace') : t('media.choose')
  const choose = () => openMediaDialog({ multiple, allowedTypes: attribute.allowedTypes, onSelect: add })
  return (
    <FieldFrame {...props} error={error}>
      <FileDrop className="quire-drop" p={8} onFiles={begin} disabled={!mayUpload}>
        <div ref={list}>
          {files.length > 0 && (
            <SortableList grid ids={files.map((file) => String(file.id))} onMove={(from, to) => put(moveItem(files, from, to))}>
              <SimpleGrid cols={multiple ? { base: 2, sm: 3 } : 1} spacing={8} mb={locked ? 0 : 8}>
                {files.map((file, index) => (
                  <SortableItem key={file.id} id={String(file.id)}>
                    <Paper withBorder className="quire-surface" style={{ overflow: 'hidden' }}>
                      <Group wrap="nowrap" gap={0} align="stretch" style={multiple ? { flexDirection: 'column' } : undefined}>
                        <Box w={multiple ? '100%' : 120} style={{ flexShrink: 0 }}>
                          <AspectRatio ratio={4 / 3}><Thumbnail file={file} /></AspectRatio>
                        </Box>
                        <Group gap={2} p={6} wrap="nowrap" style={{ flex: 1, minWidth: 0 }} align="flex-start">
                          <Stack gap={0} style={{ flex: 1, minWidth: 0 }}>
                            <Text size="xs" fw={500} className="quire-ellipsis" title={file.name}>{file.name}</Text>
                            <Text size="xs" c="dimmed" className="quire-ellipsis">
                              {[file.width && file.height ? `${file.width} × ${file.height}` : null, sizeText(file.size)].filter(Boolean).join(' · ')}
                            </Text>
                            {!multiple && (
                              <Text size="xs" c="dimmed" lineClamp={2}>{file.alternativeText || t('media.noAlternative')}</Text>
                            )}
                          </Stack>
                          {multiple && !locked && <DragHandle label={t('order.move', { name: file.name })} />}
                          <Tooltip label={t('media.edit')}>
                            <ActionIcon size="sm" aria-label={t('media.editNamed', { name: file.name })} onClick={() => setEdited(file)}>
                              <Pencil size={13} />
                            </ActionIcon>
                          </Tooltip>
                          {!locked && (
                            <Tooltip label={t('media.remove')}>
                              <ActionIcon
                                size="sm"
                                aria-label={t('media.removeNamed', { name: file.name })}
                                data-item={index}
                                onClick={() => {
                                  onRemove(index)
                                  put(files.filter((one) => one.id !== file.id))
                                }}
                              >
                                <X size={14} />
                              </ActionIcon>
                            </Tooltip>
                          )}
                        </Group>
                      </Group>
                    </Paper>
                  </SortableItem>
                ))}
              </SimpleGrid>
            </SortableList>
          )}
        </div>
        {uploads.map((one) => (
          <Group key={one.id} gap="xs" mb={4}>
            <Text size="xs" className="quire-ellipsis" style={{ flex: 1 }} c={one.error ? 'var(--mantine-color-error)' : undefined} role="status">
              {one.name}: {one.error ?? `${Math.round(one.share * 100)} %`}
            </Text>
            {one.error && <Button size="compact-xs" variant="subtle" onClick={one.retry}>{t('action.retry')}</Button>}
            <Button size="compact-xs" variant="subtle" color="gray" onClick={one.cancel}>{t('action.cancel')}</Button>
          </Group>
        ))}
        {!locked && (
          <Group gap="xs">
            <Button variant="default" leftSection={<ImagePlus size={14} />} onClick={choose} aria-label={`${chooseLabel}: ${props.label}`}>
              {chooseLabel}
            </Button>
            {mayUpload && <Text size="xs" c="dimmed">{t('media.dropHint')}</Text>}
          </Group>
        )}
        {locked && files.length === 0 && <Nothing />}
      </FileDrop>
      {edited && (
        <FileDetails
          file={edited}
          onClose={() => setEdited(null)}
          onSaved={(saved) => {
            put(files.map((one) => (one.id === saved.id ? { ...one, ...saved } : one)))
            setEdited(null)
          }}
        />
      )}
    </FieldFrame>
  )
}

/** The facts of a file, which are those of the library. */
function FileDetails({ file, onClose, onSaved }: { file: MediaFile; onClose: () => void; onSaved: (file: MediaFile) => void }) {
  const { t } = useTranslation()
  const [isDirty, setDirty] = useState(false)
  return (
    <Modal opened onClose={onClose} {...keepOpenWithInput(isDirty)} title={t('media.edit')} size="lg" closeButtonProps={{ 'aria-label': t('action.close') }}>
      <FileForm file={file} onDirty={setDirty} onSaved={onSaved} />
    </Modal>
  )
}

function Cell({ value }: CellProps) {
  const files = filesOf(value)
  const first = files[0]
  if (!first) return <Nothing />
  return (
    <Group gap={6} wrap="nowrap">
      <Box w={36} h={26} style={{ borderRadius: 4, overflow: 'hidden', flexShrink: 0 }} title={first.name}><Thumbnail file={first} size={16} /></Box>
      {files.length > 1 && <Text size="xs" c="dimmed">+{files.length - 1}</Text>}
    </Group>
  )
}

function Diff({ before, after }: DiffProps) {
  const changes = listChanges(filesOf(before), filesOf(after), { keyOf: (file) => file.url })
  return (
    <ListDiff
      changes={changes}
      show={(file) => (
        <Group gap={8} wrap="nowrap">
          <Box w={56} h={42} style={{ borderRadius: 4, overflow: 'hidden', flexShrink: 0 }}><Thumbnail file={file} size={18} /></Box>
          <span>{file.name}</span>
        </Group>
      )}
    />
  )
}

/** Files as they are now, those that are gone left out; as they were known for roles without access to the library. */
async function knownFiles(kept: MediaFile[]): Promise<MediaFile[]> {
  if (kept.length === 0) return []
  try {
    const filters = { id: { $in: kept.map((file) => file.id) } }
    const { results } = (await request('GET /upload/files', { query: { filters, pageSize: 100 } as never })) as unknown as { results: MediaFile[] }
    return kept.flatMap((file) => results.find((one) => one.id === file.id) ?? [])
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return kept
    throw error
  }
}

export const media: FieldType = {
  Input,
  Cell,
  Diff,
  filter: { operators: PRESENT, Value: TextFilter },
  recorded: async (value, attribute, { missing }) => {
    const kept = filesOf(value)
    const known = await knownFiles(kept)
    missing.count += kept.length - known.length
    return attribute.multiple ? known : (known[0] ?? null)
  },
  initial: (attribute) => (attribute.multiple ? [] : null),
  serialize: (value, attribute) => {
    const ids = filesOf(value).map((file) => file.id)
    return attribute.multiple ? ids : (ids[0] ?? null)
  },
}
