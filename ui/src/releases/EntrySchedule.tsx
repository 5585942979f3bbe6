import { Badge, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CalendarClock, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { absolute } from '../components/RelativeTime'
import { wordingOfText } from '../components/serverMessages'
import { useFieldName } from '../content/fieldNames'
import { entryScheduleQuery } from './queries'

/** Says beside the status of an entry that it will be published or unpublished, or that this has failed. */
export function EntryScheduleBadge({ uid, documentId, locale, onOpen }: { uid: string; documentId: string; locale: string | undefined; onOpen?: () => void }) {
  const { t } = useTranslation()
  const nameOf = useFieldName(uid)
  const { data } = useQuery(entryScheduleQuery(uid, documentId, locale))
  const [failure] = data?.failed ?? []
  if (!data || !(data.publishAt || data.unpublishAt || failure)) return null
  const times = [
    ...(data.publishAt ? [`${t('schedule.publishAt')}: ${absolute(data.publishAt)}`] : []),
    ...(data.unpublishAt ? [`${t('schedule.unpublishAt')}: ${absolute(data.unpublishAt)}`] : []),
    ...(failure ? [wordingOfText(failure.message, nameOf)] : []),
  ]
  const isFailed = failure !== undefined && times.length === 1
  return (
    <Tooltip label={times.join(' · ')} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      <Badge
        // Who may not change the times reads them all the same, also with the keyboard.
        {...(onOpen ? { component: 'button', type: 'button', onClick: onOpen } : { component: 'span', tabIndex: 0 })}
        size="sm"
        variant="light"
        tt="none"
        fw={600}
        color={isFailed ? 'red' : 'brand'}
        leftSection={isFailed ? <TriangleAlert size={11} /> : <CalendarClock size={11} />}
        style={{ flexShrink: 0, cursor: onOpen && 'pointer' }}
      >
        {isFailed ? t('schedule.badgeFailed') : t('schedule.badge')}
      </Badge>
    </Tooltip>
  )
}
