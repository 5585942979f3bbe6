import { Group, Text, Tree, useTree, type TreeNodeData } from '@mantine/core'
import { ChevronRight, Folder as FolderIcon, FolderOpen, Images } from 'lucide-react'
import { useEffect, useMemo, useState, type DragEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Folder } from '../api/types'
import { dragItems, droppedItems, hasItems, type DraggedItems } from './dragging'
import { trailTo } from './library'

type Props = {
  folders: Folder[]
  current: number | undefined
  /** Whether files of all folders are shown, so that none of them is the current one. */
  isEverywhere: boolean
  onOpen: (folder: number | undefined) => void
  /** Move files and folders into a folder, null for the root; absent where the role may not. */
  onMove?: (items: DraggedItems, folder: number | null) => void
}

const ROOT = 'root'

const nodeOf = (folder: Folder): TreeNodeData => ({
  value: String(folder.id),
  label: folder.name,
  children: folder.children?.length ? folder.children.map(nodeOf) : undefined,
})

/** All folders as a tree: one is opened by a click, and files are moved by dragging them onto one. */
export function FolderTree({ folders, current, isEverywhere, onOpen, onMove }: Props) {
  const { t } = useTranslation()
  const [over, setOver] = useState<string | null>(null)
  const tree = useTree({ initialExpandedState: { [ROOT]: true } })
  const { expand } = tree
  useEffect(() => {
    // The folder that is shown can be seen in the tree, wherever it was opened.
    for (const folder of current ? (trailTo(folders, current) ?? []).slice(0, -1) : []) expand(String(folder.id))
    // The function that opens a folder is another one with each folder that is opened.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [current, folders])
  // The tree begins anew with other data, so that these are made only when folders change.
  const data = useMemo(() => [{ value: ROOT, label: t('media.root'), children: folders.map(nodeOf) }], [folders, t])
  const idOf = (value: string) => (value === ROOT ? undefined : Number(value))
  const dropOn = (value: string) =>
    onMove && {
      onDragOver: (event: DragEvent) => {
        if (!hasItems(event)) return
        event.preventDefault()
        setOver(value)
      },
      onDragLeave: () => setOver((now) => (now === value ? null : now)),
      onDrop: (event: DragEvent) => {
        setOver(null)
        if (!hasItems(event)) return
        event.preventDefault()
        onMove(droppedItems(event), idOf(value) ?? null)
      },
    }
  return (
    <Tree
      data={data}
      tree={tree}
      levelOffset={14}
      expandOnClick={false}
      aria-label={t('media.folders')}
      className="quire-folders"
      onKeyDown={(event) => {
        const node = (event.target as HTMLElement).closest<HTMLElement>('[data-value]')
        if (event.key === 'Enter' && node?.dataset.value) onOpen(idOf(node.dataset.value))
      }}
      renderNode={({ node, expanded, hasChildren, elementProps }) => {
        const { className, style } = elementProps
        const isCurrent = !isEverywhere && idOf(node.value) === current
        const Icon = node.value === ROOT ? Images : isCurrent ? FolderOpen : FolderIcon
        return (
          <Group
            className={`${className} quire-folder`}
            style={style}
            gap={4}
            wrap="nowrap"
            data-current={isCurrent || undefined}
            data-over={over === node.value || undefined}
            draggable={Boolean(onMove) && node.value !== ROOT}
            onDragStart={(event) => {
              event.stopPropagation()
              dragItems(event, { fileIds: [], folderIds: [Number(node.value)] })
            }}
            onClick={() => onOpen(idOf(node.value))}
            {...dropOn(node.value)}
          >
            <ChevronRight
              size={14}
              className="quire-folder-toggle"
              data-expanded={expanded || undefined}
              visibility={hasChildren && node.value !== ROOT ? undefined : 'hidden'}
              onClick={(event) => {
                event.stopPropagation()
                tree.toggleExpanded(node.value)
              }}
              aria-hidden
            />
            <Icon size={15} aria-hidden style={{ flexShrink: 0 }} />
            <Text size="sm" className="quire-ellipsis" title={String(node.label)}>{node.label}</Text>
          </Group>
        )
      }}
    />
  )
}
