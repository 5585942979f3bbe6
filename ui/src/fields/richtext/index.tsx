import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { TextCell } from '../shared/cells'
import { TextDiff } from '../shared/diffs'
import { TextFilter } from '../shared/filters'
import { LONG_TEXT } from '../shared/operators'
import type { FieldType, InputProps } from '../types'

const Editor = lazy(() => import('./Input'))

const Input = (props: InputProps) => (
  <Suspense fallback={<Skeleton height={180} />}>
    <Editor {...props} />
  </Suspense>
)

export const richtext: FieldType = {
  Input,
  Cell: TextCell,
  Diff: TextDiff,
  filter: { operators: LONG_TEXT, Value: TextFilter },
  summary: (value) => String(value ?? '').slice(0, 80),
}
