import { AspectRatio, Box, Checkbox, Group, Paper, Stack, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Folder as FolderIcon } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Folder, MediaFile } from '../api/types'
import { RelativeTime } from '../components/RelativeTime'
import { dragItems, droppedItems, hasItems, type DraggedItems } from './dragging'
import { sizeText } from './files'
import { Thumbnail } from './Thumbnail'

type Props = {
  files: MediaFile[]
  folders: Folder[]
  asTable: boolean
  chosen: ReadonlyMap<number, MediaFile>
  onToggle: (file: MediaFile) => void
  onOpen: (file: MediaFile) => void
  onFolder: (folder: Folder) => void
  /** Move what is dragged onto a folder; absent where the role may not. */
  onMove?: (items: DraggedItems, folder: number | null) => void
}

/** What is dragged with a file: all selected files, if it is one of them. */
const draggedWith = (file: MediaFile, chosen: ReadonlyMap<number, MediaFile>): DraggedItems => ({
  fileIds: chosen.has(file.id) ? [...chosen.keys()] : [file.id],
  folderIds: [],
})

const factsOf = (file: MediaFile) => [file.width && file.height ? `${file.width} × ${file.height}` : null, sizeText(file.size)].filter(Boolean).join(' · ')

/** Folders and files, as cards or as a table. */
export function Files(props: Props) {
  const { folders, onFolder, onMove } = props
  const [over, setOver] = useState<number | null>(null)
  return (
    <Stack gap="sm">
      {folders.length > 0 && (
        <Box className="quire-cards">
          {folders.map((folder) => (
            <UnstyledButton
              key={folder.id}
              onClick={() => onFolder(folder)}
              draggable={Boolean(onMove)}
              onDragStart={(event) => dragItems(event, { fileIds: [], folderIds: [folder.id] })}
              onDragOver={(event) => {
                if (!onMove || !hasItems(event)) return
                event.preventDefault()
                setOver(folder.id)
              }}
              onDragLeave={() => setOver(null)}
              onDrop={(event) => {
                setOver(null)
                if (!onMove || !hasItems(event)) return
                event.preventDefault()
                onMove(droppedItems(event), folder.id)
              }}
            >
              <Paper withBorder p="xs" className="quire-surface quire-folder-card" data-over={over === folder.id || undefined}>
                <Group gap={8} wrap="nowrap">
                  <FolderIcon size={18} style={{ flexShrink: 0 }} />
                  <Text size="sm" className="quire-ellipsis">{folder.name}</Text>
                </Group>
              </Paper>
            </UnstyledButton>
          ))}
        </Box>
      )}
      {props.files.length > 0 && (props.asTable ? <FileTable {...props} /> : <FileCards {...props} />)}
    </Stack>
  )
}

function FileCards({ files, chosen, onToggle, onOpen, onMove }: Props) {
  const { t } = useTranslation()
  return (
    <Box className="quire-cards">
      {files.map((file) => {
        const isChosen = chosen.has(file.id)
        return (
          <Paper key={file.id} withBorder draggable={Boolean(onMove)} onDragStart={(event) => dragItems(event, draggedWith(file, chosen))} className="quire-surface" style={{ overflow: 'hidden', position: 'relative', outline: isChosen ? '2px solid var(--mantine-color-brand-6)' : undefined }}>
            <UnstyledButton w="100%" aria-label={t('media.openNamed', { name: file.name })} onClick={() => onOpen(file)}>
              <AspectRatio ratio={4 / 3}><Thumbnail file={file} size={32} /></AspectRatio>
            </UnstyledButton>
            <Group gap={8} p={8} wrap="nowrap" align="flex-start">
              <Checkbox size="xs" mt={1} aria-label={t('list.select', { title: file.name })} checked={isChosen} onChange={() => onToggle(file)} />
              <Stack gap={0} style={{ minWidth: 0 }}>
                <Text size="xs" fw={500} className="quire-ellipsis" title={file.name}>{file.name}</Text>
                <Text size="xs" c="dimmed" className="quire-ellipsis">{factsOf(file)}</Text>
                {file.mime.startsWith('image/') && !file.alternativeText && <Text size="xs" c="var(--mantine-color-error)">{t('media.noAlternative')}</Text>}
              </Stack>
            </Group>
          </Paper>
        )
      })}
    </Box>
  )
}

function FileTable({ files, chosen, onToggle, onOpen, onMove }: Props) {
  const { t } = useTranslation()
  return (
    <Paper withBorder className="quire-surface" style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={t('media.library')}>
      <Table className="quire-table" verticalSpacing={5} aria-label={t('media.library')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={36}><VisuallyHidden>{t('bulk.region')}</VisuallyHidden></Table.Th>
            <Table.Th w={60}><VisuallyHidden>{t('media.preview')}</VisuallyHidden></Table.Th>
            <Table.Th>{t('media.name')}</Table.Th>
            <Table.Th>{t('media.alternative')}</Table.Th>
            <Table.Th>{t('media.size')}</Table.Th>
            <Table.Th>{t('inspector.created')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {files.map((file) => (
            <Table.Tr key={file.id} draggable={Boolean(onMove)} onDragStart={(event) => dragItems(event, draggedWith(file, chosen))}>
              <Table.Td><Checkbox size="xs" aria-label={t('list.select', { title: file.name })} checked={chosen.has(file.id)} onChange={() => onToggle(file)} /></Table.Td>
              <Table.Td><Box w={44} h={32} style={{ overflow: 'hidden', borderRadius: 4 }}><Thumbnail file={file} size={16} /></Box></Table.Td>
              <Table.Td><UnstyledButton fz="sm" fw={500} className="quire-ellipsis" maw={280} onClick={() => onOpen(file)}>{file.name}</UnstyledButton></Table.Td>
              <Table.Td className="quire-ellipsis" c={file.alternativeText ? undefined : 'dimmed'}>{file.alternativeText || t('media.noAlternative')}</Table.Td>
              <Table.Td>{factsOf(file)}</Table.Td>
              <Table.Td>{file.createdAt && <RelativeTime at={file.createdAt} size="sm" c="dimmed" />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}
