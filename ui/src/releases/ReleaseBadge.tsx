import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Release } from '../api/generated'

const COLORS: Record<Release['status'], string> = { empty: 'gray', ready: 'violet', blocked: 'red', failed: 'red', done: 'green' }

export function ReleaseBadge({ status }: { status: Release['status'] }) {
  const { t } = useTranslation()
  return (
    <Badge component="span" size="sm" variant="light" color={COLORS[status]} tt="none" fw={600} style={{ flexShrink: 0 }}>
      {t(`releases.status.${status}`)}
    </Badge>
  )
}
