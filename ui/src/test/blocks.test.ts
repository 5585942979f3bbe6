import { Editor, Element, Node, Range, Text, Transforms, type Descendant } from 'slate'
import { expect, test } from 'vitest'
import { emptyBlocks, indentItem, leaveList, makeEditor, moveBlock, setBlock, setLink, toggleMark, type BlocksEditor } from '../fields/blocks/editor'

const text = (value: string, marks = {}) => ({ type: 'text' as const, text: value, ...marks })

const EVERYTHING = [
  { type: 'heading', level: 2, children: [text('Tides')] },
  { type: 'paragraph', note: 'kept', children: [text('See '), { type: 'link', url: '/x', rel: 'nofollow', children: [text('this', { bold: false })] }, text('.')] },
  { type: 'list', format: 'ordered', children: [
    { type: 'list-item', children: [text('one')] },
    { type: 'list', format: 'unordered', indentLevel: 1, children: [{ type: 'list-item', children: [text('in')] }] },
  ] },
  { type: 'quote', children: [text('said', { italic: true, color: 'red' })] },
  { type: 'code', language: 'python', plainText: 'x', children: [text('a = 1\nb = 2')] },
  { type: 'image', image: { id: 1, name: 'a.jpg', url: '/uploads/a.jpg', mime: 'image/jpeg' }, children: [text('')] },
  { type: 'paragraph', children: [text('end')] },
]

function load(value: unknown): BlocksEditor {
  const editor = makeEditor()
  editor.children = structuredClone(value) as Descendant[]
  Editor.normalize(editor, { force: true })
  return editor
}

test('what is loaded is saved without a change, with keys that nobody knows', () => {
  expect(load(EVERYTHING).children).toEqual(EVERYTHING)
})

test('turning a mark off takes its key away', () => {
  const editor = load([{ type: 'paragraph', children: [text('loud', { bold: true })] }])
  Transforms.select(editor, Editor.range(editor, []))
  toggleMark(editor, 'bold')
  expect(editor.children).toEqual([{ type: 'paragraph', children: [text('loud')] }])
})

test('a link at the end of a line leaves texts with a type around it', () => {
  const editor = load(emptyBlocks())
  Transforms.select(editor, Editor.end(editor, []))
  setLink(editor, 'https://example.org', 'there')
  expect(untyped(editor)).toEqual([])
  expect(Node.string(editor)).toBe('there')
})

test.each([
  ['# ', { type: 'heading', level: 1 }],
  ['### ', { type: 'heading', level: 3 }],
  ['> ', { type: 'quote' }],
  ['``` ', { type: 'code' }],
])('%j at the start of a line becomes a block', (typed, block) => {
  const editor = load(emptyBlocks())
  Transforms.select(editor, Editor.end(editor, []))
  for (const letter of typed) editor.insertText(letter)
  editor.insertText('x')
  expect(editor.children[0]).toMatchObject({ ...block, children: [text('x')] })
})

test('a dash begins a list, Enter in an empty item ends it', () => {
  const editor = load(emptyBlocks())
  Transforms.select(editor, Editor.end(editor, []))
  for (const letter of '- a') editor.insertText(letter)
  editor.insertBreak()
  editor.insertText('b')
  editor.insertBreak()
  editor.insertBreak()
  editor.insertText('out')
  expect(editor.children).toEqual([
    { type: 'list', format: 'unordered', children: [{ type: 'list-item', children: [text('a')] }, { type: 'list-item', children: [text('b')] }] },
    { type: 'paragraph', children: [text('out')] },
  ])
})

test('an item is indented and comes back', () => {
  const before = [{ type: 'list', format: 'ordered', children: [{ type: 'list-item', children: [text('a')] }, { type: 'list-item', children: [text('b')] }] }]
  const editor = load(before)
  Transforms.select(editor, { path: [0, 1, 0], offset: 0 })
  indentItem(editor)
  expect(editor.children[0]).toMatchObject({ children: [{ type: 'list-item' }, { type: 'list', format: 'ordered', indentLevel: 1 }] })
  leaveList(editor)
  expect(editor.children).toEqual(before)
})

const TYPES = new Set(['paragraph', 'heading', 'list', 'list-item', 'quote', 'code', 'image', 'link'])

function untyped(editor: BlocksEditor): unknown[] {
  return Array.from(Node.nodes(editor))
    .map(([node]) => node)
    .filter((node) => (Text.isText(node) ? node.type !== 'text' : Element.isElement(node) && !TYPES.has(node.type)))
}

test('no sequence of edits leaves a text without a type or an item outside of a list', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed % below
  }
  for (let round = 0; round < 40; round += 1) {
    const editor = load(EVERYTHING)
    for (let step = 0; step < 25; step += 1) {
      const texts = Array.from(Node.texts(editor))
      const at = (from = texts[random(texts.length)]!) => ({ path: from[1], offset: random(from[0].text.length + 1) })
      Transforms.select(editor, random(3) ? at() : { anchor: at(), focus: at() })
      const selection = editor.selection!
      const actions = [
        () => editor.insertText('word '),
        () => editor.insertBreak(),
        () => editor.deleteBackward('character'),
        () => Editor.deleteFragment(editor),
        () => toggleMark(editor, 'bold'),
        () => setBlock(editor, { type: 'list', format: 'unordered' }),
        () => setBlock(editor, { type: 'heading', level: 3 }),
        () => setBlock(editor, { type: 'paragraph' }),
        () => indentItem(editor),
        () => leaveList(editor),
        () => moveBlock(editor, random(2) ? 1 : -1),
        () => !Range.isCollapsed(selection) || setLink(editor, '/there', 'there'),
        () => editor.undo(),
      ]
      actions[random(actions.length)]!()
      expect(untyped(editor)).toEqual([])
      for (const [node, path] of Node.nodes(editor)) {
        if (Element.isElement(node) && node.type === 'list-item') expect(Node.parent(editor, path)).toMatchObject({ type: 'list' })
      }
    }
  }
})
