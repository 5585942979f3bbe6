import { NumberCell } from '../shared/cells'
import { ValueDiff } from '../shared/diffs'
import { NumberFilter } from '../shared/filters'
import { NumberControl } from '../shared/NumberControl'
import { ORDERED } from '../shared/operators'
import type { FieldType, InputProps } from '../types'

const Input = (props: InputProps) => <NumberControl {...props} integer={false} />

export const decimal: FieldType = {
  standsAlone: true,
  Input,
  Cell: NumberCell,
  Diff: ValueDiff,
  filter: { operators: ORDERED, Value: NumberFilter },
  summary: (value) => String(value ?? ''),
}
