import type { Descendant } from 'slate'
import { isAddress, type BlockNode, type TextNode } from './editor'

type Marks = Omit<Partial<TextNode>, 'type' | 'text'>

const MARKS: Record<string, Marks> = {
  B: { bold: true }, STRONG: { bold: true }, I: { italic: true }, EM: { italic: true }, U: { underline: true },
  S: { strikethrough: true }, DEL: { strikethrough: true }, STRIKE: { strikethrough: true }, CODE: { code: true }, KBD: { code: true },
}
const IGNORED = new Set(['STYLE', 'SCRIPT', 'META', 'LINK', 'TITLE', 'HEAD', 'TEMPLATE', 'NOSCRIPT', 'IMG', 'SVG'])
const BLOCKS = /^(P|DIV|H[1-6]|UL|OL|LI|BLOCKQUOTE|PRE|TABLE|TR|SECTION|ARTICLE|HEADER|FOOTER|MAIN|FIGURE|HR|DL|DT|DD)$/

/** Blocks of HTML from a web page or a word processor: only what a blocks value may hold. */
export function blocksOfHtml(html: string): Descendant[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return blocksIn(body)
}

function blocksIn(parent: Element): BlockNode[] {
  const blocks: BlockNode[] = []
  let inline: Descendant[] = []
  let items: WordItem[] = []
  const flush = () => {
    const children = trimmed(inline)
    inline = []
    if (children.length > 0) blocks.push({ type: 'paragraph', children })
  }
  const flushItems = () => {
    if (items.length > 0) blocks.push(listOfItems(items, 0))
    items = []
  }
  for (const node of Array.from(parent.childNodes)) {
    if (node instanceof HTMLElement && IGNORED.has(node.tagName.toUpperCase())) continue
    const item = node instanceof HTMLElement ? wordItem(node) : null
    if (item) {
      flush()
      items.push(item)
      continue
    }
    if (node instanceof HTMLElement) flushItems()
    if (node instanceof HTMLElement && (BLOCKS.test(node.tagName) || node.querySelector('p,div,ul,ol,h1,h2,h3,blockquote,pre'))) {
      flush()
      blocks.push(...blockOf(node))
    } else {
      inline.push(...inlineOf(node, {}))
    }
  }
  flush()
  flushItems()
  return blocks
}

type WordItem = { level: number; format: 'ordered' | 'unordered'; children: Descendant[] }

/** An item of a list as Microsoft Word writes it: a paragraph with a level, and the marker in its text. */
function wordItem(element: HTMLElement): WordItem | null {
  const level = /mso-list:[^;]*level(\d+)/.exec(element.getAttribute('style') ?? '')?.[1]
  if (!level || !element.className.startsWith('MsoListParagraph')) return null
  const marker = Array.from(element.querySelectorAll('span')).find(isWordMarker)?.textContent?.trim() ?? ''
  const children = trimmed(Array.from(element.childNodes).flatMap((node) => inlineOf(node, {})))
  return {
    level: Number(level),
    // Bullets of the second level are the letter "o" in another font.
    format: /^\w+[.)]/.test(marker) ? 'ordered' : 'unordered',
    children: children.length > 0 ? children : [{ type: 'text', text: '' }],
  }
}

const isWordMarker = (element: Element) => /mso-list:\s*Ignore/i.test(element.getAttribute('style') ?? '')

function listOfItems(items: WordItem[], depth: number): BlockNode {
  const children: BlockNode[] = []
  for (let at = 0; at < items.length; ) {
    const item = items[at]!
    let end = at + 1
    if (item.level > depth + 1) {
      while (end < items.length && items[end]!.level > depth + 1) end += 1
      children.push(listOfItems(items.slice(at, end), depth + 1))
    } else children.push({ type: 'list-item', children: item.children })
    at = end
  }
  const { format } = items.find((item) => item.level <= depth + 1) ?? items[0]!
  return { type: 'list', format, ...(depth > 0 ? { indentLevel: depth } : {}), children }
}

function blockOf(element: HTMLElement): BlockNode[] {
  const tag = element.tagName
  const text = (): Descendant[] => {
    const children = trimmed(Array.from(element.childNodes).flatMap((node) => inlineOf(node, {})))
    return children.length > 0 ? children : [{ type: 'text', text: '' }]
  }
  if (/^H[1-6]$/.test(tag)) return [{ type: 'heading', level: Number(tag[1]), children: text() }]
  if (tag === 'PRE') return [{ type: 'code', children: [{ type: 'text', text: element.textContent ?? '' }] }]
  if (tag === 'BLOCKQUOTE') return [{ type: 'quote', children: text() }]
  if (tag === 'UL' || tag === 'OL') return [listOf(element, 0)]
  if (tag === 'HR') return []
  // Tables that lay out a page or a message have others in them, or one cell in each row.
  if (element instanceof HTMLTableElement && !element.querySelector('table') && Array.from(element.rows).some((row) => row.cells.length > 1)) return rowsOf(element)
  return blocksIn(element)
}

/** A table as blocks can hold it: a paragraph for each row, with bars between its cells. */
function rowsOf({ caption, rows }: HTMLTableElement): BlockNode[] {
  const above: BlockNode[] = caption ? [{ type: 'paragraph', children: cellOf(caption) }] : []
  const bar = (at: number): Descendant[] => (at > 0 ? [{ type: 'text', text: ' | ' }] : [])
  const rowOf = ({ cells }: HTMLTableRowElement): BlockNode => ({
    type: 'paragraph',
    children: Array.from(cells).flatMap((cell, at) => [...bar(at), ...cellOf(cell)]),
  })
  return [...above, ...Array.from(rows, rowOf)]
}

/** What stands in a cell, in one line. */
function cellOf(cell: HTMLElement): Descendant[] {
  const marks: Marks = cell.tagName === 'TH' ? { bold: true } : {}
  const space: Descendant = { type: 'text', text: ' ' }
  const isBlock = (node: Node) => node instanceof HTMLElement && BLOCKS.test(node.tagName)
  const inlineAt = (node: Node) => (node.nodeName === 'BR' ? [space] : isBlock(node) ? [...inlineOf(node, marks), space] : inlineOf(node, marks))
  return trimmed(Array.from(cell.childNodes).flatMap(inlineAt)).map(
    (node) => ('text' in node ? { ...node, text: node.text.replace(/\s+/g, ' ') } : node),
  )
}

function listOf(list: HTMLElement, depth: number): BlockNode {
  const children: BlockNode[] = []
  for (const item of Array.from(list.children)) {
    if (!(item instanceof HTMLElement)) continue
    if (item.tagName === 'UL' || item.tagName === 'OL') {
      children.push(listOf(item, depth + 1))
      continue
    }
    const nested = Array.from(item.children).filter((child) => child.tagName === 'UL' || child.tagName === 'OL') as HTMLElement[]
    const own = Array.from(item.childNodes).filter((node) => !nested.includes(node as HTMLElement))
    const inline = trimmed(own.flatMap((node) => inlineOf(node, {})))
    children.push({ type: 'list-item', children: inline.length > 0 ? inline : [{ type: 'text', text: '' }] })
    nested.forEach((inner) => children.push(listOf(inner, depth + 1)))
  }
  return { type: 'list', format: list.tagName === 'OL' ? 'ordered' : 'unordered', ...(depth > 0 ? { indentLevel: depth } : {}), children }
}

function inlineOf(node: Node, marks: Marks): Descendant[] {
  if (node.nodeType === 3) {
    const text = (node.textContent ?? '').replace(/\s+/g, ' ')
    return text ? [{ type: 'text', text, ...marks }] : []
  }
  if (!(node instanceof HTMLElement) || IGNORED.has(node.tagName.toUpperCase()) || isWordMarker(node)) return []
  if (node.tagName === 'BR') return [{ type: 'text', text: '\n', ...marks }]
  const inner = { ...marks, ...MARKS[node.tagName], ...styled(node) }
  const children = Array.from(node.childNodes).flatMap((child) => inlineOf(child, inner))
  const url = node.tagName === 'A' ? node.getAttribute('href') : null
  if (url && isAddress(url) && children.length > 0) {
    return [{ type: 'link', url, children: children.filter((one) => 'text' in one) }]
  }
  return children
}

/** Word processors write marks as styles. */
function styled(element: HTMLElement): Marks {
  const marks: Marks = {}
  const { fontWeight, fontStyle, textDecoration } = element.style
  if (fontWeight === 'bold' || Number(fontWeight) >= 600) marks.bold = true
  if (fontStyle === 'italic') marks.italic = true
  if (textDecoration.includes('underline') && element.tagName !== 'A') marks.underline = true
  if (textDecoration.includes('line-through')) marks.strikethrough = true
  return marks
}

function trimmed(inline: Descendant[]): Descendant[] {
  const nodes = inline.map((node) => ({ ...node }))
  const [first] = nodes
  const last = nodes[nodes.length - 1]
  if (first && 'text' in first) first.text = first.text.replace(/^\s+/, '')
  if (last && 'text' in last) last.text = last.text.replace(/\s+$/, '')
  return nodes.filter((node) => !('text' in node) || node.text !== '')
}
