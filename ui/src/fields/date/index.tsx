import { DayInput } from '../../components/dateInputs'
import { useField } from '../../content/editor/store'
import { i18next } from '../../i18n'
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
    <DayInput
      {...shared}
      {...(props.locked ? { placeholder: undefined } : placeholder && { placeholder })}
      clearable={!props.locked}
      value={value ?? null}
      onChange={(changed) => set(changed)}
    />
  )
}

function Cell({ value }: CellProps) {
  if (isEmpty(value)) return <Nothing />
  return <span>{new Intl.DateTimeFormat(i18next.language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${String(value).slice(0, 10)}T00:00:00Z`))}</span>
}

export const date: FieldType = {
  standsAlone: true,
  Input,
  Cell,
  Diff: ValueDiff,
  filter: { operators: ORDERED, Value: temporalFilter('date') },
  summary: (value) => String(value ?? ''),
}
