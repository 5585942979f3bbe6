import { Button, Group, Pagination, Table, Tabs } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../components/States'
import { releasesRoute, type ReleasesTab } from '../router'
import { SettingsPage } from '../settings/components'
import { NameDialog } from './NameDialog'
import { useMayPublish } from './permission'
import { PAGE_SIZE, releasesQuery, type ReleaseState } from './queries'
import { ReleaseBadge } from './ReleaseBadge'
import { Scheduled } from './Scheduled'

/** The releases that are prepared, and those that have been published. */
export function Releases() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const mayPublish = useMayPublish()
  const { tab = 'open', page = 1 } = releasesRoute.useSearch()
  const state: ReleaseState = tab === 'done' ? 'done' : 'open'
  const [isNaming, setNaming] = useState(false)
  const list = useQuery({ ...releasesQuery(state, page), placeholderData: keepPreviousData })
  const releases = list.data?.data
  const create = mayPublish && <Button leftSection={<Plus size={14} />} onClick={() => setNaming(true)}>{t('releases.create')}</Button>
  const show = (tab: ReleasesTab, page?: number) => void navigate({ to: '/releases', search: { ...(tab === 'open' ? {} : { tab }), ...(page && page > 1 ? { page } : {}) } })
  return (
    <SettingsPage title={t('releases.title')} hint={t('releases.hint')} actions={create}>
      <Tabs value={tab} onChange={(value) => show(value === 'done' || value === 'scheduled' ? value : 'open')}>
        <Tabs.List>
          <Tabs.Tab value="open">{t('releases.open')}</Tabs.Tab>
          <Tabs.Tab value="scheduled">{t('releases.scheduled')}</Tabs.Tab>
          <Tabs.Tab value="done">{t('releases.done')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="scheduled" pt="md">{tab === 'scheduled' && <Scheduled />}</Tabs.Panel>
        <Tabs.Panel value={state} pt="md">
          {list.error && <ErrorState error={list.error} retry={() => void list.refetch()} />}
          {list.isPending && <Loading />}
          {releases?.length === 0 && (
            <EmptyState title={t(`releases.none.${state}`)} action={state === 'open' ? create : undefined}>
              {state === 'open' && t('releases.noneHint')}
            </EmptyState>
          )}
          {releases && releases.length > 0 && (
            <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('releases.title')}>
              <Table className="quire-table" verticalSpacing={8} highlightOnHover>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t('releases.name')}</Table.Th>
                    <Table.Th>{t('entry.status')}</Table.Th>
                    <Table.Th ta="right">{t('releases.entries')}</Table.Th>
                    <Table.Th>{state === 'done' ? t('releases.published') : t('releases.changed')}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {releases.map((release) => (
                    <Table.Tr key={release.id}>
                      <Table.Td style={{ whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: 160 }}><Link to="/releases/$id" params={{ id: String(release.id) }} className="quire-title-link">{release.name}</Link></Table.Td>
                      <Table.Td><ReleaseBadge status={release.status} /></Table.Td>
                      <Table.Td ta="right">{release.itemCount}</Table.Td>
                      <Table.Td><RelativeTime at={release.releasedAt ?? release.updatedAt} /></Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )}
          {list.data && list.data.meta.pagination.total > PAGE_SIZE && (
            <Group justify="flex-end" mt="sm">
              <Pagination size="sm" value={page} total={list.data.meta.pagination.pageCount} onChange={(next) => show(state, next)} getControlProps={(control) => ({ 'aria-label': t(`page.${control}`) })} />
            </Group>
          )}
        </Tabs.Panel>
      </Tabs>
      {isNaming && <NameDialog onClose={() => setNaming(false)} onDone={(made) => void navigate({ to: '/releases/$id', params: { id: String(made.id) } })} />}
    </SettingsPage>
  )
}
