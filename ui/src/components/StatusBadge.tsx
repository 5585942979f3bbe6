import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Status } from '../api/types'

const COLORS: Record<Status, string> = { published: 'green', modified: 'violet', draft: 'gray' }

export function StatusBadge({ status }: { status: Status }) {
  const { t } = useTranslation()
  return (
    <Badge size="sm" variant="light" color={COLORS[status]} tt="none" fw={600} style={{ flexShrink: 0, overflow: 'visible' }} styles={{ label: { overflow: 'visible' } }}>
      {t(`status.${status}`)}
    </Badge>
  )
}
