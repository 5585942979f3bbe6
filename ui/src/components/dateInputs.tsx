import { Text } from '@mantine/core'
import { DateInput, DateTimePicker, type DateInputProps, type DateTimePickerProps } from '@mantine/dates'
import dayjs from 'dayjs'
import customParseFormat from 'dayjs/plugin/customParseFormat'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'

// Days that are typed are read by it.
dayjs.extend(customParseFormat)

/** The time zone of the browser. */
export const timezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The names of the buttons of a calendar, which are icons. */
function useCalendarLabels() {
  const { t } = useTranslation()
  return {
    nextMonth: t('calendar.nextMonth'),
    previousMonth: t('calendar.previousMonth'),
    nextYear: t('calendar.nextYear'),
    previousYear: t('calendar.previousYear'),
    nextDecade: t('calendar.nextDecade'),
    previousDecade: t('calendar.previousDecade'),
  }
}

/** The id of a control's label, by which the dialog with the calendar gets its name. */
const labelOf = (id: string) => `${id}-label`

const DAY = 'YYYY-MM-DD'

/** A day, which is typed or chosen in a calendar. */
export function DayInput(props: DateInputProps) {
  const { t } = useTranslation()
  const id = useId()
  return (
    <DateInput
      valueFormat={DAY}
      placeholder={DAY}
      clearable
      {...props}
      id={id}
      role="combobox"
      popoverProps={{ id: labelOf(id), withRoles: true }}
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      ariaLabels={useCalendarLabels()}
    />
  )
}

type DateTimeInputProps = Omit<DateTimePickerProps, 'value' | 'onChange'> & {
  /** What the control is called; its label, unless that is more than text. */
  name: string
  value: string | null
  onChange: (value: string | null) => void
}

const SHOWN = 'YYYY-MM-DD HH:mm'
const LOCAL = 'YYYY-MM-DD HH:mm:ss'

/** A moment in the time zone of the browser, which stands beside it. */
export function DateTimeInput({ name, value, onChange, ...props }: DateTimeInputProps) {
  const { t } = useTranslation()
  const zone = timezone()
  const id = useId()
  return (
    <DateTimePicker
      label={name}
      valueFormat={SHOWN}
      placeholder={SHOWN}
      clearable
      {...props}
      id={id}
      popoverProps={{ id: labelOf(id) }}
      // The label would hide from screen readers what is chosen, which is the text of a button.
      aria-label={value ? `${name}: ${dayjs(value).format(SHOWN)} ${zone}` : undefined}
      value={value ? dayjs(value).format(LOCAL) : null}
      onChange={(changed) => onChange(changed ? dayjs(changed).toISOString() : null)}
      rightSection={<Text size="xs" c="dimmed" pr={8}>{zone}</Text>}
      rightSectionWidth={zone.length * 7 + 16}
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      ariaLabels={useCalendarLabels()}
      timePickerProps={{ hoursInputLabel: t('calendar.hours'), minutesInputLabel: t('calendar.minutes') }}
      submitButtonProps={{ 'aria-label': t('action.done') }}
    />
  )
}
