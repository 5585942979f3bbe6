import { DateTimeInput } from '../../components/dateInputs'
import { RelativeTime } from '../../components/RelativeTime'
import { useField } from '../../content/editor/store'
import { isEmpty, Nothing } from '../shared/cells'
import { ValueDiff } from '../shared/diffs'
import { temporalFilter } from '../shared/filters'
import { inputProps } from '../shared/Frame'
import { ORDERED } from '../shared/operators'
import type { CellProps, FieldType, InputProps } from '../types'

function Input(props: InputProps) {
  const { value, error, set } = useField<string | null | undefined>(props.path)
  const { placeholder, ...shared } = inputProps(props, error)
  return (
    <DateTimeInput
      {...shared}
      {...(placeholder && { placeholder })}
      name={props.label}
      clearable={!props.locked}
      value={value || null}
      onChange={set}
      disabled={Boolean(props.locked)}
    />
  )
}

function Cell({ value }: CellProps) {
  return isEmpty(value) ? <Nothing /> : <RelativeTime at={String(value)} />
}

export const datetime: FieldType = {
  standsAlone: true,
  Input,
  Cell,
  Diff: ValueDiff,
  filter: { operators: ORDERED, Value: temporalFilter('datetime-local') },
  summary: (value) => String(value ?? ''),
}
