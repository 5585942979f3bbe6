import { TextCell } from '../shared/cells'
import { TextDiff } from '../shared/diffs'
import { TextFilter } from '../shared/filters'
import { TEXT } from '../shared/operators'
import { TextControl } from '../shared/TextControl'
import type { FieldType, InputProps } from '../types'

const Input = (props: InputProps) => <TextControl {...props} type="email" />

export const email: FieldType = {
  standsAlone: true,
  Input,
  Cell: TextCell,
  Diff: TextDiff,
  filter: { operators: TEXT, Value: TextFilter },
  summary: (value) => String(value ?? ''),
}
