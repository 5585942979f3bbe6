import { TimeInput } from '@mantine/dates'
import { useField } from '../../content/editor/store'
import { isEmpty, Nothing } from '../shared/cells'
import { ValueDiff } from '../shared/diffs'
import { temporalFilter } from '../shared/filters'
import { inputProps } from '../shared/Frame'
import { ORDERED } from '../shared/operators'
import type { CellProps, FieldType, InputProps } from '../types'

/** `23:10:05.000` is stored; seconds are shown, fractions of them kept. */
function Input(props: InputProps) {
  const { value, error, set } = useField<string | null | undefined>(props.path)
  return (
    <TimeInput
      {...inputProps(props, error)}
      withSeconds
      value={value ? value.slice(0, 8) : ''}
      onChange={(event) => {
        const text = event.currentTarget.value
        set(text === '' ? null : `${text.length === 5 ? `${text}:00` : text}.000`)
      }}
    />
  )
}

function Cell({ value }: CellProps) {
  return isEmpty(value) ? <Nothing /> : <span>{String(value).slice(0, 8)}</span>
}

export const time: FieldType = {
  standsAlone: true,
  Input,
  Cell,
  Diff: ValueDiff,
  filter: { operators: ORDERED, Value: temporalFilter('time') },
  summary: (value) => String(value ?? ''),
}
