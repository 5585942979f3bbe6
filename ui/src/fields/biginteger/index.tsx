import { TextInput } from '@mantine/core'
import { useField } from '../../content/editor/store'
import { NumberCell } from '../shared/cells'
import { ValueDiff } from '../shared/diffs'
import { TextFilter } from '../shared/filters'
import { inputProps } from '../shared/Frame'
import { ORDERED } from '../shared/operators'
import type { FieldType, InputProps } from '../types'

/** Digits as text: a number of JavaScript would lose the last of them. */
function Input(props: InputProps) {
  const { value, error, set } = useField<string | null | undefined>(props.path)
  return (
    <TextInput
      {...inputProps(props, error)}
      inputMode="numeric"
      value={value ?? ''}
      onChange={(event) => {
        const text = event.currentTarget.value.trim()
        if (/^-?\d*$/.test(text)) set(text === '' ? null : text)
      }}
    />
  )
}

export const biginteger: FieldType = {
  standsAlone: true,
  Input,
  Cell: NumberCell,
  Diff: ValueDiff,
  filter: { operators: ORDERED, Value: TextFilter },
  summary: (value) => String(value ?? ''),
}
