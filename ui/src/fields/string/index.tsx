import { TextCell } from '../shared/cells'
import { TextDiff } from '../shared/diffs'
import { TextFilter } from '../shared/filters'
import { TEXT } from '../shared/operators'
import { TextControl } from '../shared/TextControl'
import type { FieldType } from '../types'

export const string: FieldType = {
  standsAlone: true,
  Input: TextControl,
  Cell: TextCell,
  Diff: TextDiff,
  filter: { operators: TEXT, Value: TextFilter },
  fromText: (text) => text,
  summary: (value) => String(value ?? ''),
}
