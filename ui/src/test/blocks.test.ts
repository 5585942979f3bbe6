import { Editor, Element, Node, Range, Text, Transforms, type Descendant } from 'slate'
import { expect, test } from 'vitest'
import {
  duplicateBlock, emptyBlocks, indentItem, leaveList, makeEditor, moveBlock, removeBlock, setBlock, setLink, toggleMark, turnBlock, type BlocksEditor,
} from '../fields/blocks/editor'
import recorded from './recordedBlocks.json'

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

const item = (...children: object[]) => ({ type: 'list-item', children })
const link = (url: string, ...children: object[]) => ({ type: 'link', url, children })
const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code']

/** Values as Strapi's editor writes them. */
const WRITTEN: [string, object[]][] = [
  ['an empty value', [{ type: 'paragraph', children: [text('')] }]],
  ['every level of heading', [1, 2, 3, 4, 5, 6].map((level) => ({ type: 'heading', level, children: [text(`Level ${level}`)] }))],
  ['every mark, alone and with the others', [{
    type: 'paragraph',
    children: [...MARKS.flatMap((mark) => [text(mark, { [mark]: true }), text(' ')]), text('all', Object.fromEntries(MARKS.map((mark) => [mark, true])))],
  }]],
  ['a list in a list in a list', [{ type: 'list', format: 'unordered', indentLevel: 0, children: [
    item(text('one')),
    { type: 'list', format: 'ordered', indentLevel: 1, children: [
      item(text('two')),
      { type: 'list', format: 'unordered', indentLevel: 2, children: [item(text('three', { bold: true }))] },
      item(text('')),
    ] },
    item(text('four '), link('https://example.org', text('there', { italic: true })), text('')),
  ] }]],
  ['links in a heading and a quote', [
    { type: 'heading', level: 3, children: [text(''), link('/a', text('one '), text('two', { bold: true })), text(' three')] },
    { type: 'quote', children: [text('four '), link('mailto:ada@example.org', text('five')), text('')] },
  ]],
  ['code of several lines', [{ type: 'code', language: 'typescript', children: [text('const a = 1\n\n  // two\n')] }]],
  ['images side by side, with all that the library knows of them', [1, 2].map((id) => ({
    type: 'image',
    image: {
      id, name: 'a.jpg', alternativeText: null, caption: 'A', url: '/uploads/a.jpg', width: 4, height: 3, size: 1.5, hash: 'a', ext: '.jpg',
      mime: 'image/jpeg', formats: { thumbnail: { url: '/uploads/t.jpg', width: 2, height: 1 } }, previewUrl: null, provider: 'local',
    },
    children: [text('')],
  }))],
]

test.each(WRITTEN)('%s is loaded and saved without a change', (_, value) => {
  const editor = load([...value, { type: 'paragraph', children: [text('end')] }])
  expect(editor.children.slice(0, -1)).toEqual(value)
  expect(untyped(editor)).toEqual([])
})

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

// Many edits: seconds of work for a busy machine.
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
        () => duplicateBlock(editor, random(editor.children.length)),
        () => removeBlock(editor, random(editor.children.length)),
        () => turnBlock(editor, random(editor.children.length), { type: 'list', format: 'ordered' }),
        () => turnBlock(editor, random(editor.children.length), { type: 'quote' }),
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
}, 60_000)

/** Values as clients write them, who put no text around a link. */
const BARE: Descendant[] = [
  { type: 'paragraph', children: [{ type: 'link', url: '/a', children: [text('alone')] }] },
  { type: 'paragraph', children: [text('See '), { type: 'link', url: '/b', children: [text('last')] }] },
  { type: 'quote', children: [{ type: 'link', url: '/c', children: [text('one')] }, { type: 'link', url: '/d', children: [text('two')] }] },
  { type: 'list', format: 'ordered', children: [{ type: 'list-item', children: [{ type: 'link', url: '/e', children: [text('in a list')] }] }] },
]

test('edits in one block leave all others as they were loaded', () => {
  const values: Descendant[] = [...BARE, ...(EVERYTHING as Descendant[]), ...(WRITTEN.flatMap(([, value]) => value) as Descendant[])]
  for (let at = 0; at <= values.length; at += 1) {
    const editor = makeEditor()
    const loaded = [...values.slice(0, at), emptyBlocks()[0]!, ...values.slice(at)]
    editor.children = structuredClone(loaded)
    Transforms.select(editor, { path: [at, 0], offset: 0 })
    for (const letter of 'one') editor.insertText(letter)
    toggleMark(editor, 'bold')
    editor.insertText(' two')
    editor.deleteBackward('character')
    expect(editor.children.filter((_, index) => index !== at)).toEqual(values)
  }
})

test.each(recorded as unknown as Descendant[][])('every recorded value stays as it is while somebody writes below it (%#)', (...value) => {
  const editor = makeEditor()
  editor.children = structuredClone([...value, emptyBlocks()[0]!])
  Transforms.select(editor, { path: [value.length, 0], offset: 0 })
  editor.insertText('one')
  toggleMark(editor, 'bold')
  editor.insertText(' two')
  expect(editor.children.slice(0, -1)).toEqual(value)
  expect(Node.string(editor.children.at(-1)!)).toBe('one two')
})

test('a block is duplicated, turned and removed as a whole, and an editor is never without one', () => {
  const list = { type: 'list', format: 'unordered', children: [item(text('one')), item(text('two'))] }
  const editor = load([list, { type: 'paragraph', children: [text('end')] }])
  duplicateBlock(editor, 0)
  expect(editor.children.slice(0, 2)).toEqual([list, list])
  turnBlock(editor, 1, { type: 'heading', level: 2 })
  expect(editor.children.slice(1, 3)).toEqual(['one', 'two'].map((word) => ({ type: 'heading', level: 2, children: [text(word)] })))
  for (let left = editor.children.length; left > 0; left -= 1) removeBlock(editor, 0)
  expect(editor.children).toEqual(emptyBlocks())
})
