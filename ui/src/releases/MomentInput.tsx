import { Text } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import dayjs from 'dayjs'
import { useTranslation } from 'react-i18next'

export const timezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** A moment to come in the time zone of the browser, which stands beside it. */
export function MomentInput({ label, value, error, autoFocus, onChange }: { label: string; value: string | null; error?: string; autoFocus?: boolean; onChange: (value: string | null) => void }) {
  const { t } = useTranslation()
  const zone = timezone()
  return (
    <DateTimePicker
      label={label}
      error={error}
      data-autofocus={autoFocus || undefined}
      valueFormat="YYYY-MM-DD HH:mm"
      placeholder="YYYY-MM-DD HH:mm"
      minDate={dayjs().format('YYYY-MM-DD')}
      ariaLabels={{ nextMonth: t('schedule.nextMonth'), previousMonth: t('schedule.previousMonth') }}
      clearable
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      value={value ? dayjs(value).format('YYYY-MM-DD HH:mm:ss') : null}
      onChange={(changed) => onChange(changed ? dayjs(changed).toISOString() : null)}
      rightSection={<Text size="xs" c="dimmed" pr={8}>{zone}</Text>}
      rightSectionWidth={zone.length * 7 + 16}
      submitButtonProps={{ 'aria-label': t('action.done') }}
    />
  )
}
