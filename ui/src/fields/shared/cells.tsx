import { Text } from '@mantine/core'
import { formatNumber } from '../../i18n'
import type { CellProps } from '../types'

export const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

export function Nothing() {
  return (
    <Text span inherit c="dimmed" aria-hidden>
      –
    </Text>
  )
}

export function TextCell({ value }: CellProps) {
  if (isEmpty(value)) return <Nothing />
  return <span title={String(value).length > 60 ? String(value) : undefined}>{String(value).slice(0, 200)}</span>
}

export function NumberCell({ value }: CellProps) {
  if (isEmpty(value)) return <Nothing />
  return <span style={{ fontVariantNumeric: 'tabular-nums' }}>{formatNumber(String(value))}</span>
}
