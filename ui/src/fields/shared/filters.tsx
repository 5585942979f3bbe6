import { Group, MultiSelect, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { FilterProps } from '../types'

const asOne = (value: string | string[] | undefined) => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''))
const asList = (value: string | string[] | undefined) => (Array.isArray(value) ? value : value ? [value] : [])

export function TextFilter({ op, value, onChange, label }: FilterProps) {
  if (op === '$in' || op === '$notIn') {
    return <TagsInput size="xs" aria-label={label} value={asList(value)} onChange={onChange} />
  }
  return <TextInput size="xs" aria-label={label} value={asOne(value)} onChange={(event) => onChange(event.currentTarget.value)} />
}

/** One value, or two for an interval, in a control of the attribute's kind. */
function Interval({ op, value, onChange, label, one }: FilterProps & { one: (value: string, change: (value: string) => void, label: string) => React.ReactNode }) {
  const { t } = useTranslation()
  if (op !== '$between') return one(asOne(value), onChange, label)
  const [low = '', high = ''] = asList(value)
  return (
    <Group gap={4} wrap="nowrap">
      {one(low, (changed) => onChange([changed, high]), `${label}, ${t('filter.from')}`)}
      {one(high, (changed) => onChange([low, changed]), `${label}, ${t('filter.to')}`)}
    </Group>
  )
}

export function NumberFilter(props: FilterProps) {
  return (
    <Interval
      {...props}
      one={(value, change, label) => (
        <NumberInput size="xs" aria-label={label} value={value === '' ? '' : Number(value)} onChange={(changed) => change(String(changed))} hideControls />
      )}
    />
  )
}

/** Dates and times in the browser's own controls, which take keys in the order of the language. */
export function temporalFilter(type: 'date' | 'datetime-local' | 'time') {
  return function TemporalFilter(props: FilterProps) {
    return (
      <Interval
        {...props}
        one={(value, change, label) => (
          <TextInput
            size="xs"
            type={type}
            aria-label={label}
            value={type === 'datetime-local' ? toLocal(value) : value}
            onChange={(event) => change(fromControl(type, event.currentTarget.value))}
          />
        )}
      />
    )
  }
}

function fromControl(type: string, value: string): string {
  if (value === '') return ''
  return type === 'datetime-local' ? new Date(value).toISOString() : value
}

function toLocal(value: string): string {
  if (value === '') return ''
  const at = new Date(value)
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

export function BooleanFilter({ value, onChange, label }: FilterProps) {
  const { t } = useTranslation()
  return (
    <Select
      size="xs"
      aria-label={label}
      value={asOne(value) || null}
      onChange={(changed) => onChange(changed ?? undefined)}
      data={[
        { value: 'true', label: t('boolean.true') },
        { value: 'false', label: t('boolean.false') },
      ]}
    />
  )
}

export function ChoiceFilter({ attribute, op, value, onChange, label }: FilterProps) {
  const data = attribute.enum ?? []
  if (op === '$in' || op === '$notIn') {
    return <MultiSelect size="xs" aria-label={label} data={data} value={asList(value)} onChange={onChange} />
  }
  return <Select size="xs" aria-label={label} data={data} value={asOne(value) || null} onChange={(changed) => onChange(changed ?? undefined)} />
}
