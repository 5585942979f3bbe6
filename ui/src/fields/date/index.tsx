import { DateInput } from '@mantine/dates'
import dayjs from 'dayjs'
import customParseFormat from 'dayjs/plugin/customParseFormat'
import { useTranslation } from 'react-i18next'
import { useField } from '../../content/editor/store'
import { i18next } from '../../i18n'
import { isEmpty, Nothing } from '../shared/cells'
import { ValueDiff } from '../shared/diffs'
import { temporalFilter } from '../shared/filters'
import { inputProps } from '../shared/Frame'
import { ORDERED } from '../shared/operators'
import type { CellProps, FieldType, InputProps } from '../types'

dayjs.extend(customParseFormat)

function Input(props: InputProps) {
  const { t } = useTranslation()
  const { value, error, set } = useField<string | null | undefined>(props.path)
  return (
    <DateInput
      {...inputProps(props, error)}
      placeholder={props.locked ? undefined : props.meta?.placeholder || 'YYYY-MM-DD'}
      valueFormat="YYYY-MM-DD"
      clearable={!props.locked}
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      value={value ?? null}
      onChange={(changed) => set(changed)}
      popoverProps={{ withinPortal: true }}
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
