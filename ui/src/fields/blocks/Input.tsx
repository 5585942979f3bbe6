import {
  Box, Button, Code, Divider, Group, Modal, Paper, Popover, Portal, Select, Stack, TextInput,
} from '@mantine/core'
import { ArrowDown, ArrowUp, Bold, Braces, CodeXml, Expand, Image, Italic, Link, Minimize2, Strikethrough, Underline } from 'lucide-react'
import { memo, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Editor, Range, Transforms, type Descendant } from 'slate'
import { Editable, ReactEditor, Slate, useFocused, useSelected, useSlate, useSlateStatic, type RenderElementProps, type RenderLeafProps } from 'slate-react'
import { useStore } from 'zustand'
import { isEqual, useEditor, useField } from '../../content/editor/store'
import { openMediaDialog } from '../../media/openMediaDialog'
import { useTextLanguage } from '../shared/direction'
import { FieldFrame } from '../shared/Frame'
import { Tool, Toolbar } from '../shared/Toolbar'
import type { InputProps } from '../types'
import {
  blockAt, emptyBlocks, hasMark, indentItem, insertImages, isAddress, leaveList, makeEditor, moveBlock, setBlock, setLink, toggleMark,
  type BlockNode, type BlocksEditor, type Mark,
} from './editor'
import { BlockFrame, SortableBlocks } from './BlockFrame'
import { blockName, CHOICES } from './choices'
import { blocksOfHtml } from './paste'

const MARKS: [Mark, typeof Bold][] = [
  ['bold', Bold], ['italic', Italic], ['underline', Underline], ['strikethrough', Strikethrough], ['code', CodeXml],
]
const MARK_KEYS: Record<string, Mark> = { b: 'bold', i: 'italic', u: 'underline', e: 'code' }

const isBlank = (value: Descendant[]) => isEqual(value, emptyBlocks())

/** Rich text whose value is the editor's own tree: what is loaded is what is saved. */
export default function BlocksInput(props: InputProps) {
  const { t } = useTranslation()
  const { value, error, set } = useField<Descendant[] | null | undefined>(props.path)
  const generation = useStore(useEditor(), (state) => state.generation)
  const [full, setFull] = useState(false)
  const [source, setSource] = useState(false)
  const written = useRef<Descendant[] | null | undefined>(value)
  const change = useCallback(
    (blocks: Descendant[]) => {
      const next = isBlank(blocks) ? null : blocks
      written.current = next
      set(next)
    },
    [set],
  )
  const editor = (
    <BlocksSurface
      // A value from elsewhere (undo of the form, a reload) is taken over whole.
      key={generation}
      label={props.label}
      locked={Boolean(props.locked)}
      value={value ?? null}
      onChange={change}
      full={full}
      onFull={() => setFull(!full)}
      onSource={() => setSource(true)}
    />
  )
  return (
    <FieldFrame {...props} error={error}>
      {full ? (
        <Modal opened fullScreen onClose={() => setFull(false)} title={props.label} closeButtonProps={{ 'aria-label': t('action.close') }}>
          {editor}
        </Modal>
      ) : (
        editor
      )}
      <Modal opened={source} onClose={() => setSource(false)} title={t('blocks.source')} size="xl" closeButtonProps={{ 'aria-label': t('action.close') }}>
        <Code block tabIndex={0} style={{ maxHeight: '60vh', overflow: 'auto' }}>{JSON.stringify(value, null, 2)}</Code>
      </Modal>
    </FieldFrame>
  )
}

type SurfaceProps = {
  label: string
  locked: boolean
  value: Descendant[] | null
  onChange: (value: Descendant[]) => void
  full: boolean
  onFull: () => void
  onSource: () => void
}

const BlocksSurface = memo(
  function BlocksSurface({ label, locked, value, onChange, full, onFull, onSource }: SurfaceProps) {
    const { t } = useTranslation()
    const language = useTextLanguage()
    const [editor] = useState(makeEditor)
    const [initial] = useState(() => (value && value.length > 0 ? structuredClone(value) : emptyBlocks()))
    const [slash, setSlash] = useState<Slash | null>(null)
    const changed = (next: Descendant[]) => {
      setSlash(locked ? null : slashAt(editor))
      if (editor.operations.some((operation) => operation.type !== 'set_selection')) onChange(next)
    }
    const choices = slash ? matching(slash.search, (id) => blockName(t, id)) : []
    const pick = (choice: SlashChoice) => {
      if (!slash) return
      Transforms.delete(editor, { at: slash.range })
      setSlash(null)
      if (choice.block) setBlock(editor, choice.block)
      else chooseImages(editor)
    }
    const press = (event: React.KeyboardEvent) => {
      // Keys on the handle of a block, and in its menu, are no keys of the text.
      if (!ReactEditor.hasEditableTarget(editor, event.target as HTMLElement)) return
      if (slash && choices.length > 0) {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          event.preventDefault()
          const by = event.key === 'ArrowDown' ? 1 : -1
          setSlash({ ...slash, at: (slash.at + by + choices.length) % choices.length })
          return
        }
        const choice = choices[slash.at]
        if ((event.key === 'Enter' || event.key === 'Tab') && choice) {
          event.preventDefault()
          pick(choice)
          return
        }
        if (event.key === 'Escape') {
          event.preventDefault()
          event.stopPropagation()
          setSlash(null)
          return
        }
      }
      pressInEditor(editor, event)
    }
    return (
      <Box bd="1px solid var(--mantine-color-default-border)" style={{ borderRadius: 6 }} className="quire-surface">
        <Slate editor={editor} initialValue={initial} onChange={changed}>
          {!locked && <Tools label={label} full={full} onFull={onFull} onSource={onSource} />}
          <SortableBlocks>
            <Editable
              className="quire-blocks"
              {...language}
              aria-label={label}
              aria-multiline
              role="textbox"
              readOnly={locked}
              renderElement={renderElement}
              renderLeaf={renderLeaf}
              placeholder={locked ? undefined : t('blocks.placeholder')}
              onKeyDown={press}
              onBlur={() => setSlash(null)}
              onPaste={(event) => {
                const html = event.clipboardData.getData('text/html')
                if (!html || event.clipboardData.getData('application/x-slate-fragment')) return
                const blocks = blocksOfHtml(html)
                if (blocks.length === 0) return
                event.preventDefault()
                Transforms.insertFragment(editor, blocks)
              }}
            />
          </SortableBlocks>
          {slash && choices.length > 0 && <SlashMenu editor={editor} slash={slash} choices={choices} onPick={pick} />}
        </Slate>
      </Box>
    )
  },
  // The editor keeps its own tree: what comes back from the store is what it has written.
  (before, after) => before.locked === after.locked && before.full === after.full && before.label === after.label,
)

/** Slate follows the cursor up to a tenth of a second later; a key that comes sooner means where it is now. */
function readSelection(editor: BlocksEditor): void {
  const selection = window.getSelection()
  const range = selection?.rangeCount && ReactEditor.toSlateRange(editor, selection, { exactMatch: false, suppressThrow: true })
  if (range && !(editor.selection && Range.equals(range, editor.selection))) Transforms.select(editor, range)
}

function focusHandle(editor: BlocksEditor): void {
  const block = editor.children[editor.selection?.anchor.path[0] ?? 0]
  if (block) ReactEditor.toDOMNode(editor, block).querySelector<HTMLElement>('.quire-block-handle button')?.focus()
}

function pressInEditor(editor: BlocksEditor, event: React.KeyboardEvent): void {
  const isMod = event.ctrlKey || event.metaKey
  if ((isMod || event.altKey || event.key === 'Tab') && !event.nativeEvent.isComposing) readSelection(editor)
  const mark = isMod && !event.shiftKey && !event.altKey ? MARK_KEYS[event.key.toLowerCase()] : undefined
  if (mark) {
    event.preventDefault()
    toggleMark(editor, mark)
  } else if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
    event.preventDefault()
    moveBlock(editor, event.key === 'ArrowUp' ? -1 : 1)
  } else if (event.altKey && event.key === 'F10') {
    event.preventDefault()
    focusHandle(editor)
  } else if (event.key === 'Tab' && blockAt(editor)?.[0].type === 'list-item') {
    event.preventDefault()
    if (event.shiftKey) leaveList(editor)
    else indentItem(editor)
  } else if (event.key === 'Enter' && event.shiftKey) {
    event.preventDefault()
    editor.insertText('\n')
  } else if (isMod && event.key.toLowerCase() === 'z') {
    // Steps inside a text are undone here, not by the form.
    event.stopPropagation()
  }
}

type SlashChoice = { id: string; block?: Partial<BlockNode> }
type Slash = { range: Range; search: string; at: number }

/** The slash that begins a command, where the cursor stands behind one. */
function slashAt(editor: BlocksEditor): Slash | null {
  const { selection } = editor
  if (!selection || !Range.isCollapsed(selection)) return null
  const block = blockAt(editor)
  if (!block || block[0].type !== 'paragraph') return null
  const start = Editor.start(editor, block[1])
  const text = Editor.string(editor, { anchor: start, focus: selection.anchor })
  const found = /^\/([\p{L}\d ]{0,20})$/u.exec(text)
  if (!found) return null
  return { range: { anchor: start, focus: selection.anchor }, search: (found[1] ?? '').toLowerCase(), at: 0 }
}

function matching(search: string, name: (id: string) => string): SlashChoice[] {
  const all: SlashChoice[] = [...CHOICES, { id: 'image' }]
  return all.filter((choice) => name(choice.id).toLowerCase().includes(search)).slice(0, 8)
}

function SlashMenu({ editor, slash, choices, onPick }: { editor: BlocksEditor; slash: Slash; choices: SlashChoice[]; onPick: (choice: SlashChoice) => void }) {
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const text = ReactEditor.toDOMRange(editor, slash.range).getBoundingClientRect()
    const menu = box.current
    if (!menu) return
    const below = text.bottom + 4 + menu.offsetHeight < window.innerHeight
    menu.style.left = `${text.left}px`
    menu.style.top = below ? `${text.bottom + 4}px` : `${text.top - menu.offsetHeight - 4}px`
  }, [editor, slash.range, choices.length])
  return (
    <Portal>
      <Paper ref={box} withBorder shadow="md" p={4} pos="fixed" miw={200} role="listbox" aria-label={t('blocks.type')} style={{ zIndex: 400 }}>
        {choices.map((choice, index) => (
          <Box
            key={choice.id}
            role="option"
            aria-selected={index === slash.at}
            px={10}
            py={6}
            fz="sm"
            bg={index === slash.at ? 'var(--mantine-color-brand-light)' : undefined}
            style={{ borderRadius: 4, cursor: 'pointer' }}
            onMouseDown={(event) => {
              event.preventDefault()
              onPick(choice)
            }}
          >
            {blockName(t, choice.id)}
          </Box>
        ))}
      </Paper>
    </Portal>
  )
}

function chooseImages(editor: BlocksEditor): void {
  const { selection } = editor
  openMediaDialog({
    multiple: true,
    allowedTypes: ['images'],
    onSelect: (files) => {
      if (selection) Transforms.select(editor, selection)
      insertImages(editor, files)
    },
  })
}

function Tools({ label, full, onFull, onSource }: Pick<SurfaceProps, 'label' | 'full' | 'onFull' | 'onSource'>) {
  const { t } = useTranslation()
  const editor = useSlate()
  const block = blockAt(editor)?.[0]
  const list = editor.selection && Editor.above<BlockNode>(editor, { match: (node) => !Editor.isEditor(node) && 'type' in node && node.type === 'list' })
  const current =
    block?.type === 'heading' ? `heading-${block.level}` : block?.type === 'list-item' ? (list?.[0].format ?? 'unordered') : block?.type === 'image' ? null : (block?.type ?? 'paragraph')
  const button = (name: string, Icon: typeof Bold, act: () => void, isPressed?: boolean) => (
    <Tool key={name} label={name} isPressed={isPressed} onClick={act}><Icon size={15} /></Tool>
  )
  return (
    <Toolbar isSticky label={t('blocks.toolbar', { field: label })}>
      <Select
        data-toolbar-toggle
        size="xs"
        w={140}
        aria-label={t('blocks.type')}
        allowDeselect={false}
        value={current}
        data={CHOICES.map((choice) => ({ value: choice.id, label: blockName(t, choice.id) }))}
        onChange={(id) => {
          const choice = CHOICES.find((one) => one.id === id)
          if (!choice) return
          setBlock(editor, choice.block)
          ReactEditor.focus(editor)
        }}
      />
      <Divider orientation="vertical" mx={4} />
      {MARKS.map(([mark, Icon]) => button(t(`blocks.mark.${mark}`), Icon, () => toggleMark(editor, mark), hasMark(editor, mark)))}
      <LinkButton />
      {button(t('blocks.image'), Image, () => chooseImages(editor))}
      <Divider orientation="vertical" mx={4} />
      {button(t('blocks.up'), ArrowUp, () => moveBlock(editor, -1))}
      {button(t('blocks.down'), ArrowDown, () => moveBlock(editor, 1))}
      <Group gap={2} ml="auto">
        {button(t('blocks.source'), Braces, onSource)}
        {button(full ? t('blocks.smaller') : t('blocks.full'), full ? Minimize2 : Expand, onFull)}
      </Group>
    </Toolbar>
  )
}

function LinkButton() {
  const { t } = useTranslation()
  const editor = useSlate()
  const [opened, setOpened] = useState(false)
  const [url, setUrl] = useState('')
  const kept = useRef<Range | null>(null)
  const link = editor.selection && Editor.above<BlockNode>(editor, { match: (node) => !Editor.isEditor(node) && 'type' in node && node.type === 'link' })
  const begin = () => {
    kept.current = editor.selection
    setUrl(link?.[0].url ?? '')
    setOpened(true)
  }
  const finish = (address: string | null) => {
    if (kept.current) Transforms.select(editor, kept.current)
    setLink(editor, address)
    setOpened(false)
    ReactEditor.focus(editor)
  }
  const problem = url !== '' && !isAddress(url)
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus position="bottom-start" width={320}>
      <Popover.Target>
        <Tool label={t('blocks.link')} isPressed={Boolean(link)} onClick={begin}><Link size={15} /></Tool>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <TextInput
            size="xs"
            data-autofocus
            label={t('blocks.address')}
            placeholder="https://…"
            value={url}
            error={problem ? t('blocks.addressInvalid') : undefined}
            onChange={(event) => setUrl(event.currentTarget.value.trim())}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              if (url !== '' && !problem) finish(url)
            }}
          />
          <Group justify="flex-end" gap="xs">
            {link && <Button variant="subtle" color="gray" onClick={() => finish(null)}>{t('blocks.unlink')}</Button>}
            <Button disabled={url === '' || problem} onClick={() => finish(url)}>{t('blocks.setLink')}</Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function renderLeaf({ attributes, children, leaf }: RenderLeafProps) {
  let inner = children
  if (leaf.bold) inner = <strong>{inner}</strong>
  if (leaf.italic) inner = <em>{inner}</em>
  if (leaf.underline) inner = <u>{inner}</u>
  if (leaf.strikethrough) inner = <s>{inner}</s>
  if (leaf.code) inner = <code>{inner}</code>
  return <span {...attributes}>{inner}</span>
}

const renderElement = (props: RenderElementProps) => <BlockElement {...props} />

/** A block: an outermost one has a handle. */
function BlockElement({ attributes, children, element }: RenderElementProps) {
  const editor = useSlateStatic()
  const isOutermost = !editor.isInline(element) && ReactEditor.findPath(editor, element).length === 1
  if (!isOutermost) return renderContent({ attributes, children, element })
  return (
    <div {...attributes} className="quire-block">
      <BlockFrame element={element}>{renderContent({ children, element })}</BlockFrame>
    </div>
  )
}

type ContentProps = Omit<RenderElementProps, 'attributes'> & { attributes?: RenderElementProps['attributes'] }

function renderContent({ attributes, children, element }: ContentProps) {
  switch (element.type) {
    case 'heading': {
      const Heading = `h${Math.min(6, Math.max(1, element.level ?? 1))}` as 'h1'
      // Headings of a text are no headings of this page.
      return <Heading {...attributes} role="presentation">{children}</Heading>
    }
    case 'list': {
      const List = element.format === 'ordered' ? 'ol' : 'ul'
      return <List {...attributes}>{children}</List>
    }
    case 'list-item':
      return <li {...attributes}>{children}</li>
    case 'quote':
      return <blockquote {...attributes}>{children}</blockquote>
    case 'code':
      return <pre {...attributes}><code>{children}</code></pre>
    case 'link':
      return <a {...attributes} href={isAddress(element.url ?? '') ? element.url : undefined} title={element.url}>{children}</a>
    case 'image':
      return <ImageBlock attributes={attributes} element={element}>{children}</ImageBlock>
    default:
      return <p {...attributes}>{children}</p>
  }
}

function ImageBlock({ attributes, children, element }: ContentProps) {
  const isActive = useSelected()
  const isFocused = useFocused()
  const { image } = element as BlockNode
  return (
    <div {...attributes}>
      <div contentEditable={false} style={{ outline: isActive && isFocused ? '2px solid var(--mantine-color-brand-6)' : undefined, borderRadius: 4, marginBottom: '0.6em', width: 'fit-content' }}>
        {image && <img src={image.url} alt={image.alternativeText ?? ''} />}
      </div>
      {children}
    </div>
  )
}

