import { TextCell } from '../shared/cells'
import { TextDiff } from '../shared/diffs'
import { TextFilter } from '../shared/filters'
import { LONG_TEXT } from '../shared/operators'
import { LongTextControl } from '../shared/TextControl'
import type { FieldType } from '../types'

export const text: FieldType = {
  standsAlone: true,
  Input: LongTextControl,
  Cell: TextCell,
  Diff: TextDiff,
  filter: { operators: LONG_TEXT, Value: TextFilter },
  fromText: (text) => text,
  summary: (value) => String(value ?? ''),
}
