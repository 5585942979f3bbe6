import { createEditor, Editor, Element, Node, Path, Point, Range, Text, Transforms, type BaseEditor, type Descendant } from 'slate'
import { withHistory, type HistoryEditor } from 'slate-history'
import { withReact, type ReactEditor } from 'slate-react'
import type { MediaFile } from '../../api/types'

export type TextNode = {
  type: 'text'
  text: string
  bold?: boolean
  italic?: boolean
  underline?: boolean
  strikethrough?: boolean
  code?: boolean
}
export type Mark = 'bold' | 'italic' | 'underline' | 'strikethrough' | 'code'
export type BlockNode = {
  type: 'paragraph' | 'heading' | 'list' | 'list-item' | 'quote' | 'code' | 'image' | 'link'
  level?: number
  format?: 'ordered' | 'unordered'
  indentLevel?: number
  language?: string
  url?: string
  image?: MediaFile
  children: Descendant[]
}

declare module 'slate' {
  interface CustomTypes {
    Editor: BaseEditor & ReactEditor & HistoryEditor
    Element: BlockNode
    Text: TextNode
  }
}

export type BlocksEditor = BaseEditor & ReactEditor & HistoryEditor

export const emptyBlocks = (): Descendant[] => [{ type: 'paragraph', children: [{ type: 'text', text: '' }] }]

export const makeEditor = (): BlocksEditor => withBlocks(withHistory(withReact(createEditor())))

const isType = (node: Node, ...types: BlockNode['type'][]): node is BlockNode =>
  Element.isElement(node) && types.includes(node.type)

/** The rules of a blocks value: what is inline, what has no text, and that every text has a type. */
export function withBlocks(editor: BlocksEditor): BlocksEditor {
  const { isInline, isVoid, normalizeNode, insertBreak, deleteBackward, insertText } = editor
  editor.isInline = (element) => element.type === 'link' || isInline(element)
  editor.isVoid = (element) => element.type === 'image' || isVoid(element)

  editor.normalizeNode = (entry, options) => {
    const [node, path] = entry
    if (Text.isText(node)) {
      // Slate puts texts of its own around links, and the server refuses a text without a type.
      if (node.type !== 'text') {
        Transforms.setNodes(editor, { type: 'text' }, { at: path })
        return
      }
      for (const mark of ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const) {
        if (mark in node && node[mark] === undefined) {
          Transforms.unsetNodes(editor, mark, { at: path })
          return
        }
      }
    }
    if (isType(node, 'list') && node.children.length === 0) {
      Transforms.removeNodes(editor, { at: path })
      return
    }
    // What stands in a list is an item or another list.
    if (isType(node, 'list')) {
      for (const [child, at] of Node.children(editor, path)) {
        if (!isType(child, 'list-item', 'list')) {
          if (Element.isElement(child) && !editor.isInline(child)) Transforms.setNodes(editor, { type: 'list-item' }, { at })
          else Transforms.wrapNodes(editor, { type: 'list-item', children: [] }, { at })
          return
        }
      }
    }
    if (isType(node, 'link') && Node.string(node) === '') {
      Transforms.removeNodes(editor, { at: path })
      return
    }
    normalizeNode(entry, options)
  }

  editor.insertBreak = () => {
    const block = blockAt(editor)
    if (!block) return insertBreak()
    const [node, path] = block
    if (node.type === 'code') {
      editor.insertText('\n')
      return
    }
    if (node.type === 'image') {
      insertParagraphAfter(editor, path)
      return
    }
    if (node.type === 'list-item' && Node.string(node) === '') {
      leaveList(editor)
      return
    }
    const isAtEnd = editor.selection && Range.isCollapsed(editor.selection) && Editor.isEnd(editor, editor.selection.anchor, path)
    if ((node.type === 'heading' || node.type === 'quote') && isAtEnd) {
      insertParagraphAfter(editor, path)
      return
    }
    insertBreak()
  }

  editor.deleteBackward = (unit) => {
    const { selection } = editor
    const block = blockAt(editor)
    if (selection && Range.isCollapsed(selection) && block) {
      const [node, path] = block
      if (node.type !== 'paragraph' && node.type !== 'image' && Point.equals(selection.anchor, Editor.start(editor, path))) {
        if (node.type === 'list-item') leaveList(editor)
        else setBlock(editor, { type: 'paragraph' })
        return
      }
    }
    deleteBackward(unit)
  }

  editor.insertText = (text, options) => {
    if (text === ' ' && editor.selection && Range.isCollapsed(editor.selection) && applyShortcut(editor)) return
    insertText(text, options)
  }
  return editor
}

/** The block around the cursor: the innermost one that is not inline. */
export function blockAt(editor: BlocksEditor): [BlockNode, Path] | undefined {
  if (!editor.selection) return undefined
  return Editor.above<BlockNode>(editor, {
    match: (node) => Element.isElement(node) && !editor.isInline(node),
    mode: 'lowest',
    voids: true,
  })
}

function insertParagraphAfter(editor: BlocksEditor, path: Path): void {
  const at = Path.next(path)
  Transforms.insertNodes(editor, emptyBlocks()[0]!, { at, select: true })
}

const SHORTCUTS: Record<string, Partial<BlockNode>> = {
  '#': { type: 'heading', level: 1 },
  '##': { type: 'heading', level: 2 },
  '###': { type: 'heading', level: 3 },
  '####': { type: 'heading', level: 4 },
  '#####': { type: 'heading', level: 5 },
  '######': { type: 'heading', level: 6 },
  '-': { type: 'list', format: 'unordered' },
  '*': { type: 'list', format: 'unordered' },
  '1.': { type: 'list', format: 'ordered' },
  '>': { type: 'quote' },
  '```': { type: 'code' },
}

/** Turn what Markdown writes at the start of a line into the block that it means. */
function applyShortcut(editor: BlocksEditor): boolean {
  const block = blockAt(editor)
  if (!block || !editor.selection || block[0].type !== 'paragraph') return false
  const start = Editor.start(editor, block[1])
  const range = { anchor: start, focus: editor.selection.anchor }
  const shortcut = SHORTCUTS[Editor.string(editor, range)]
  if (!shortcut) return false
  Transforms.delete(editor, { at: range })
  setBlock(editor, shortcut)
  return true
}

/** Make the blocks of the selection something else. */
export function setBlock(editor: BlocksEditor, block: Partial<BlockNode>): void {
  if (!editor.selection) Transforms.select(editor, Editor.end(editor, []))
  Editor.withoutNormalizing(editor, () => {
    // Out of the lists that they are in.
    while (Editor.above(editor, { match: (node) => isType(node, 'list') })) {
      Transforms.unwrapNodes(editor, { match: (node) => isType(node, 'list'), split: true, mode: 'lowest' })
    }
    const isPlain = (node: Node) =>
      Element.isElement(node) && !editor.isInline(node) && !['image', 'list'].includes(node.type)
    Transforms.unsetNodes(editor, ['level', 'format', 'language', 'indentLevel'], { match: isPlain })
    if (block.type === 'list') {
      Transforms.setNodes(editor, { type: 'list-item' }, { match: isPlain })
      Transforms.wrapNodes(
        editor,
        { type: 'list', format: block.format ?? 'unordered', children: [] },
        { match: (node) => isType(node, 'list-item') },
      )
    } else {
      Transforms.setNodes(editor, block, { match: isPlain })
    }
  })
}

/** Take the list item at the cursor one level out, or make a paragraph of it. */
export function leaveList(editor: BlocksEditor): void {
  const item = blockAt(editor)
  if (!item || item[0].type !== 'list-item') return
  const list = Editor.above<BlockNode>(editor, { at: item[1], match: (node) => isType(node, 'list') })
  const outer = list && Editor.above<BlockNode>(editor, { at: list[1], match: (node) => isType(node, 'list') })
  Editor.withoutNormalizing(editor, () => {
    if (!outer) Transforms.setNodes(editor, { type: 'paragraph' }, { at: item[1] })
    Transforms.liftNodes(editor, { at: item[1] })
  })
}

/** Put the list item at the cursor into a list inside of its list. */
export function indentItem(editor: BlocksEditor): boolean {
  const item = blockAt(editor)
  if (!item || item[0].type !== 'list-item') return false
  const list = Editor.above<BlockNode>(editor, { at: item[1], match: (node) => isType(node, 'list') })
  if (!list) return false
  const { format, indentLevel } = list[0]
  Transforms.wrapNodes(editor, { type: 'list', format, indentLevel: (indentLevel ?? 0) + 1, children: [] }, { at: item[1] })
  return true
}

export function hasMark(editor: BlocksEditor, mark: Mark): boolean {
  return Boolean((Editor.marks(editor) as Partial<TextNode> | null)?.[mark])
}

/** Turn a mark on, or take its key away. */
export function toggleMark(editor: BlocksEditor, mark: Mark): void {
  if (hasMark(editor, mark)) Editor.removeMark(editor, mark)
  else Editor.addMark(editor, mark, true)
}

/** An address that the server takes: absolute, or from the root of the site. */
export function isAddress(url: string): boolean {
  if (url.startsWith('/') && !url.startsWith('//')) return true
  try {
    return ['http:', 'https:', 'mailto:', 'tel:'].includes(new URL(url).protocol)
  } catch {
    return false
  }
}

export function setLink(editor: BlocksEditor, url: string | null, text?: string): void {
  const link = Editor.above<BlockNode>(editor, { match: (node) => isType(node, 'link') })
  if (link) {
    if (url === null) Transforms.unwrapNodes(editor, { at: link[1] })
    else Transforms.setNodes(editor, { url }, { at: link[1] })
    return
  }
  if (url === null || !editor.selection) return
  if (Range.isCollapsed(editor.selection)) {
    Transforms.insertNodes(editor, { type: 'link', url, children: [{ type: 'text', text: text || url }] })
  } else {
    Transforms.wrapNodes(editor, { type: 'link', url, children: [] }, { split: true })
  }
}

/** Put images of the media library behind the block of the cursor. */
export function insertImages(editor: BlocksEditor, files: MediaFile[]): void {
  const block = blockAt(editor)
  const root = block ? [block[1][0]!] : [editor.children.length - 1]
  const isBlank = block && block[1].length === 1 && block[0].type === 'paragraph' && Node.string(block[0]) === ''
  files.forEach((file, index) => {
    Transforms.insertNodes(
      editor,
      { type: 'image', image: file, children: [{ type: 'text', text: '' }] },
      { at: [root[0]! + 1 + index] },
    )
  })
  if (isBlank) Transforms.removeNodes(editor, { at: root })
  const last = root[0]! + files.length - (isBlank ? 1 : 0)
  if (last === editor.children.length - 1) {
    Transforms.insertNodes(editor, emptyBlocks()[0]!, { at: [last + 1], select: true })
  }
}

/** Move an outermost block up or down: that at the cursor unless another one is named. */
export function moveBlock(editor: BlocksEditor, by: 1 | -1, at = editor.selection?.anchor.path[0]): void {
  if (at === undefined) return
  const to = at + by
  if (to < 0 || to >= editor.children.length) return
  Transforms.moveNodes(editor, { at: [at], to: [to] })
}

/** Insert a copy of an outermost block behind it. */
export function duplicateBlock(editor: BlocksEditor, at: number): void {
  const block = editor.children[at]
  if (block) Transforms.insertNodes(editor, structuredClone(block), { at: [at + 1] })
}

/** Remove an outermost block; an editor is never without one. */
export function removeBlock(editor: BlocksEditor, at: number): void {
  Editor.withoutNormalizing(editor, () => {
    Transforms.removeNodes(editor, { at: [at] })
    if (editor.children.length === 0) Transforms.insertNodes(editor, emptyBlocks(), { at: [0] })
  })
}

/** Make an outermost block something else, and put the cursor at its end. */
export function turnBlock(editor: BlocksEditor, at: number, block: Partial<BlockNode>): void {
  Transforms.select(editor, Editor.range(editor, [at]))
  setBlock(editor, block)
  Transforms.collapse(editor, { edge: 'end' })
}
