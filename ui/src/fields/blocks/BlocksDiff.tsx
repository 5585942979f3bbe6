import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { TextDiff } from '../shared/diffs'
import { ListDiff } from '../shared/ListDiff'
import { listChanges } from '../shared/listChanges'
import type { DiffProps } from '../types'
import { linesOf } from './lines'

type Block = { type?: string }

const blocksOf = (value: unknown): Block[] => (Array.isArray(value) ? (value as Block[]) : [])
const textOf = (block: Block): string => linesOf([block]).join('\n')

/** Blocks one by one, and the words of those that have changed. */
export function BlocksDiff({ before, after, attribute }: DiffProps) {
  const { t } = useTranslation()
  const changes = listChanges(blocksOf(before), blocksOf(after), { keyOf: (block) => JSON.stringify(block), isPair: areAlike })
  return (
    <ListDiff
      changes={changes}
      show={(block, old) => {
        if (!old) return <span style={{ whiteSpace: 'pre-wrap' }}>{textOf(block) || ' '}</span>
        return (
          <>
            <TextDiff before={textOf(old)} after={textOf(block)} attribute={attribute} />
            {/* The words may be the same: then it is a heading now, or has other marks. */}
            {textOf(old) === textOf(block) && <Text span size="xs" c="dimmed">{t('diff.format')}</Text>}
          </>
        )
      }}
    />
  )
}

/** Whether a block may be another one that was changed: they have at least a third of their words in common. */
function areAlike(one: Block, other: Block): boolean {
  const [words, others] = [wordsOf(one), wordsOf(other)]
  const common = [...words].filter((word) => others.has(word)).length
  return common * 3 >= Math.max(words.size, others.size)
}

const wordsOf = (block: Block) => new Set(textOf(block).toLowerCase().split(/\W+/u).filter(Boolean))
