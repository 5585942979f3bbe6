import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Nothing } from '../shared/cells'
import type { CellProps, FieldType, InputProps } from '../types'
import { BlocksDiff } from './BlocksDiff'
import { linesOf } from './lines'

const Editor = lazy(() => import('./Input'))

const Input = (props: InputProps) => (
  <Suspense fallback={<Skeleton height={220} />}>
    <Editor {...props} />
  </Suspense>
)

function Cell({ value }: CellProps) {
  const text = linesOf(value).join(' ')
  return text ? <span>{text.slice(0, 120)}</span> : <Nothing />
}

export const blocks: FieldType = {
  Input,
  Cell,
  Diff: BlocksDiff,
  summary: (value) => linesOf(value)[0] ?? '',
}
