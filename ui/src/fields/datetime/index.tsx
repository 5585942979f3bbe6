import { Text } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import dayjs from 'dayjs'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../components/RelativeTime'
import { useField } from '../../content/editor/store'
import { isEmpty, Nothing } from '../shared/cells'
import { ValueDiff } from '../shared/diffs'
import { temporalFilter } from '../shared/filters'
import { inputProps } from '../shared/Frame'
import { ORDERED } from '../shared/operators'
import type { CellProps, FieldType, InputProps } from '../types'

const LOCAL = 'YYYY-MM-DD HH:mm:ss'

/** The moment in the time zone of the browser, which stands beside it. */
function Input(props: InputProps) {
  const { t } = useTranslation()
  const { value, error, set } = useField<string | null | undefined>(props.path)
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <DateTimePicker
      {...inputProps(props, error)}
      valueFormat="YYYY-MM-DD HH:mm"
      placeholder={props.meta?.placeholder || 'YYYY-MM-DD HH:mm'}
      clearable={!props.locked}
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      value={value ? dayjs(value).format(LOCAL) : null}
      onChange={(changed) => set(changed ? dayjs(changed).toISOString() : null)}
      rightSection={<Text size="xs" c="dimmed" pr={8}>{zone}</Text>}
      rightSectionWidth={zone.length * 7 + 16}
      disabled={Boolean(props.locked)}
      submitButtonProps={{ 'aria-label': t('action.done') }}
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
