import type { TFunction } from 'i18next'
import type { BlockNode } from './editor'

type BlockChoice = { id: string; block: Partial<BlockNode> }

/** What a block of text can be. */
export const CHOICES: BlockChoice[] = [
  { id: 'paragraph', block: { type: 'paragraph' } },
  ...[1, 2, 3, 4, 5, 6].map((level) => ({ id: `heading-${level}`, block: { type: 'heading' as const, level } })),
  { id: 'unordered', block: { type: 'list', format: 'unordered' } },
  { id: 'ordered', block: { type: 'list', format: 'ordered' } },
  { id: 'quote', block: { type: 'quote' } },
  { id: 'code', block: { type: 'code' } },
]

/** The choice that a block is, or an id for an image. */
export function choiceOf(block: BlockNode): string {
  if (block.type === 'heading') return `heading-${block.level ?? 1}`
  if (block.type === 'list') return block.format ?? 'unordered'
  return block.type
}

export function blockName(t: TFunction, id: string): string {
  if (id.startsWith('heading-')) return t('blocks.heading', { level: id.slice(-1) })
  return t(`blocks.${id as 'paragraph' | 'unordered' | 'ordered' | 'quote' | 'code' | 'image'}`)
}
