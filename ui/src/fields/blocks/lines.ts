type Node = { type?: string; text?: string; children?: Node[]; image?: { name?: string } }

/** The text of each block, for lists and for what has changed. */
export function linesOf(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return (value as Node[]).flatMap((block) => (block.type === 'list' ? linesOfList(block) : [textOf(block)]))
}

function linesOfList(list: Node): string[] {
  return (list.children ?? []).flatMap((item) => (item.type === 'list' ? linesOfList(item) : [`• ${textOf(item)}`]))
}

function textOf(node: Node): string {
  if (typeof node.text === 'string') return node.text
  if (node.type === 'image') return `[${node.image?.name ?? 'image'}]`
  return (node.children ?? []).map(textOf).join('')
}
