import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ScheduledAction } from '../api/generated'
import { useLocales, useModel } from '../api/hooks'
import { absolute } from '../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../components/States'
import { EntryLink } from './EntryLink'
import { scheduleQuery } from './queries'

/** What will be published or unpublished, the next ones first. */
export function Scheduled() {
  const { t } = useTranslation()
  const list = useQuery(scheduleQuery)
  if (list.error) return <ErrorState error={list.error} retry={() => void list.refetch()} />
  if (!list.data) return <Loading />
  if (list.data.length === 0) return <EmptyState title={t('schedule.none')}>{t('schedule.noneHint')}</EmptyState>
  return (
    <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('releases.scheduled')}>
      <Table className="quire-table" verticalSpacing={8} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('schedule.when')}</Table.Th>
            <Table.Th>{t('schedule.what')}</Table.Th>
            <Table.Th>{t('releases.type')}</Table.Th>
            <Table.Th>{t('entry.locale')}</Table.Th>
            <Table.Th>{t('releases.action')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {list.data.map((one) => <Row key={`${one.at} ${one.release?.id ?? ''} ${one.entry?.id ?? ''}`} scheduled={one} />)}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function Row({ scheduled: { at, entry, release } }: { scheduled: ScheduledAction }) {
  const { t } = useTranslation()
  const { types } = useModel()
  const locales = useLocales()
  return (
    <Table.Tr>
      <Table.Td><Text inherit>{absolute(at)}</Text></Table.Td>
      <Table.Td>
        {release && <Link to="/releases/$id" params={{ id: String(release.id) }} className="quire-title-link">{release.name}</Link>}
        {entry && <EntryLink item={entry} />}
      </Table.Td>
      <Table.Td>{entry ? (types.get(entry.contentType)?.info.displayName ?? entry.contentType) : t('releases.one')}</Table.Td>
      <Table.Td>{locales.find((one) => one.code === entry?.locale)?.name ?? entry?.locale ?? '–'}</Table.Td>
      <Table.Td>{t(`action.${entry?.action ?? 'publish'}`)}</Table.Td>
    </Table.Tr>
  )
}
