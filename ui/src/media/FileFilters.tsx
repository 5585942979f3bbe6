import { Button, Group, NumberInput, Popover, Stack, Text, TextInput } from '@mantine/core'
import dayjs from 'dayjs'
import { CalendarRange } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LibrarySearch } from './library'

const PERIODS = [1, 7, 30, 365] as const
const KILOBYTES_PER_MEGABYTE = 1000

type Limits = Pick<LibrarySearch, 'from' | 'to' | 'minSize' | 'maxSize'>

/** When files were uploaded, and how large they are: both from one value to another. */
export function FileFilters({ search, onChange }: { search: Limits; onChange: (limits: Limits) => void }) {
  const { t } = useTranslation()
  const { from, to, minSize, maxSize } = search
  const count = Number(Boolean(from || to)) + Number(minSize !== undefined || maxSize !== undefined)
  const date = (name: 'from' | 'to') => (
    <TextInput
      size="xs"
      type="date"
      style={{ flex: 1 }}
      label={t(`media.uploaded.${name}`)}
      value={search[name] ?? ''}
      onChange={(event) => onChange({ [name]: event.currentTarget.value || undefined })}
    />
  )
  const size = (name: 'minSize' | 'maxSize') => (
    <NumberInput
      size="xs"
      style={{ flex: 1 }}
      min={0}
      decimalScale={3}
      hideControls
      suffix=" MB"
      placeholder="MB"
      label={t(`media.size.${name}`)}
      value={search[name] === undefined ? '' : search[name] / KILOBYTES_PER_MEGABYTE}
      onChange={(value) => onChange({ [name]: value === '' ? undefined : Math.round(Number(value) * KILOBYTES_PER_MEGABYTE) })}
    />
  )
  return (
    <Popover position="bottom-start" width={320} trapFocus>
      <Popover.Target>
        <Button size="xs" variant={count > 0 ? 'light' : 'default'} leftSection={<CalendarRange size={13} />}>
          {count > 0 ? t('media.limitsSet', { count }) : t('media.limits')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('media.limits')}>
        <Stack gap="sm">
          <div>
            <Text size="sm" fw={500} mb={4}>{t('media.uploaded')}</Text>
            <Group gap={4} mb={6}>
              {PERIODS.map((days) => {
                const since = dayjs().subtract(days - 1, 'day').format('YYYY-MM-DD')
                return (
                  <Button key={days} size="compact-xs" variant={from === since && !to ? 'light' : 'default'} onClick={() => onChange({ from: since, to: undefined })}>
                    {t(`media.period.${days}`)}
                  </Button>
                )
              })}
            </Group>
            <Group gap="xs" wrap="nowrap">{date('from')}{date('to')}</Group>
          </div>
          <div>
            <Text size="sm" fw={500} mb={4}>{t('media.size')}</Text>
            <Group gap="xs" wrap="nowrap">{size('minSize')}{size('maxSize')}</Group>
          </div>
          <Group justify="flex-end">
            <Button size="compact-sm" variant="subtle" disabled={count === 0} onClick={() => onChange({ from: undefined, to: undefined, minSize: undefined, maxSize: undefined })}>
              {t('action.clear')}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
