import { Menu } from '@mantine/core'
import { ArrowDown, ArrowUp, Copy, Trash2 } from 'lucide-react'
import { useRef, type KeyboardEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Node as SlateNode, Transforms } from 'slate'
import { ReactEditor, useReadOnly, useSelected, useSlateSelector, useSlateStatic } from 'slate-react'
import { isEqual } from '../../content/editor/store'
import { DragHandle, SortableItem, SortableList } from '../shared/Sortable'
import { blockName, CHOICES, choiceOf } from './choices'
import { duplicateBlock, moveBlock, removeBlock, turnBlock, type BlockNode, type BlocksEditor } from './editor'

const LONGEST_NAME = 40

/** The outermost blocks, ordered by dragging their handles or with keys on them. */
export function SortableBlocks({ children }: { children: ReactNode }) {
  const editor = useSlateStatic()
  const ids = useSlateSelector((one) => one.children.map((block) => ReactEditor.findKey(one, block).id), isEqual)
  return (
    <SortableList hasMenus ids={ids} onMove={(from, to) => Transforms.moveNodes(editor, { at: [from], to: [to] })}>
      {children}
    </SortableList>
  )
}

/** An outermost block with its handle and the menu of what can be done with it as a whole. */
export function BlockFrame({ element, children }: { element: BlockNode; children: ReactNode }) {
  const editor = useSlateStatic()
  const isReadOnly = useReadOnly()
  if (isReadOnly) return children
  return (
    <SortableItem id={ReactEditor.findKey(editor, element).id}>
      <BlockHandle element={element} />
      {children}
    </SortableItem>
  )
}

function BlockHandle({ element }: { element: BlockNode }) {
  const { t } = useTranslation()
  const editor = useSlateStatic()
  const isCurrent = useSelected()
  const handle = useRef<HTMLDivElement>(null)
  const choice = choiceOf(element)
  const text = element.type === 'image' ? (element.image?.name ?? '') : SlateNode.string(element).trim()
  const name = text ? `${blockName(t, choice)}: ${text.slice(0, LONGEST_NAME)}` : blockName(t, choice)
  const at = () => ReactEditor.findPath(editor, element)[0] ?? 0
  const move = (by: 1 | -1) => {
    const focused = document.activeElement
    moveBlock(editor, by, at())
    // A node that is put elsewhere in the page loses the focus.
    window.setTimeout(() => {
      if (focused instanceof HTMLElement && handle.current?.contains(focused)) focused.focus()
    })
  }
  const press = (event: KeyboardEvent) => {
    const isOnHandle = event.target instanceof Node && event.currentTarget.contains(event.target)
    if (!isOnHandle) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      focusText(editor)
      return
    }
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    move(event.key === 'ArrowUp' ? -1 : 1)
  }
  // A menu that closes gives the focus back to its handle, unless something else has it by then.
  const focusTextLater = () => window.setTimeout(() => focusText(editor))
  const turn = (block: Partial<BlockNode>) => {
    turnBlock(editor, at(), block)
    focusTextLater()
  }
  const remove = () => {
    removeBlock(editor, at())
    focusTextLater()
  }
  return (
    <div ref={handle} contentEditable={false} className="quire-block-handle" data-current={isCurrent || undefined} onKeyDown={press}>
      <Menu position="bottom-start" keepMounted={false} width={200}>
        <Menu.Target>
          {/* Tab stops at the handle of the block with the cursor alone. */}
          <DragHandle label={t('blocks.handle', { name })} tabIndex={isCurrent ? 0 : -1} />
        </Menu.Target>
        <Menu.Dropdown mah="min(440px, 50vh)" style={{ overflowY: 'auto' }}>
          <Menu.Item leftSection={<ArrowUp size={14} />} disabled={at() === 0} onClick={() => move(-1)}>{t('part.up')}</Menu.Item>
          <Menu.Item leftSection={<ArrowDown size={14} />} disabled={at() === editor.children.length - 1} onClick={() => move(1)}>{t('part.down')}</Menu.Item>
          <Menu.Item leftSection={<Copy size={14} />} onClick={() => duplicateBlock(editor, at())}>{t('part.duplicate')}</Menu.Item>
          {element.type !== 'image' && (
            <>
              <Menu.Divider />
              <Menu.Label>{t('blocks.turn')}</Menu.Label>
              {CHOICES.filter((one) => one.id !== choice).map((one) => (
                <Menu.Item key={one.id} onClick={() => turn(one.block)}>{blockName(t, one.id)}</Menu.Item>
              ))}
            </>
          )}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={remove}>{t('action.delete')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

/** `ReactEditor.focus` does nothing here: to Slate, the handles are inside of the editor. */
const focusText = (editor: BlocksEditor) => ReactEditor.toDOMNode(editor, editor).focus()
