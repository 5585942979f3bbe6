import { Code, Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { isEmpty, Nothing } from '../shared/cells'
import { JsonDiff } from '../shared/diffs'
import { TextFilter } from '../shared/filters'
import { PRESENT } from '../shared/operators'
import type { CellProps, FieldType, InputProps } from '../types'

const Editor = lazy(() => import('./Input'))

const Input = (props: InputProps) => (
  <Suspense fallback={<Skeleton height={120} />}>
    <Editor {...props} />
  </Suspense>
)

function Cell({ value }: CellProps) {
  return isEmpty(value) ? <Nothing /> : <Code fz="xs">{JSON.stringify(value).slice(0, 80)}</Code>
}

export const json: FieldType = {
  Input,
  Cell,
  Diff: JsonDiff,
  filter: { operators: PRESENT, Value: TextFilter },
}
