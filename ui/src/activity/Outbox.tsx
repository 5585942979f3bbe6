import { Button, Group, Menu, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Eye, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import type { OutboxChange } from '../api/generated'
import { useModel } from '../api/hooks'
import { DetailsDialog } from '../components/DetailsDialog'
import { absolute, RelativeTime } from '../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../components/States'
import { activityRoute } from '../router'
import { confirmFirst } from '../components/confirm'
import { RowMenu, SettingsTable } from '../settings/SettingsTable'
import { backgroundKey, EACH, FunctionName, REFRESHED_MS, StateBadge, useBackgroundAction } from './background'

const STATES = ['all', 'waiting', 'failed'] as const

/** The changes that functions of the project are still to be told of, the latest first, for super admins. */
export function Outbox() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { types } = useModel()
  const { state } = activityRoute.useSearch()
  const chosen = STATES.find((one) => one === state) ?? 'all'
  const [opened, setOpened] = useState<OutboxChange | null>(null)
  const changes = useInfiniteQuery({
    queryKey: backgroundKey('outbox', chosen),
    placeholderData: keepPreviousData,
    staleTime: 0,
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam, signal }) =>
      (await request('GET /admin/x/outbox', { query: { state: chosen === 'all' ? undefined : chosen, limit: EACH, before: pageParam }, signal })).data,
    getNextPageParam: (last) => (last.length === EACH ? last.at(-1)?.id : undefined),
    refetchInterval: (query) => (query.state.data?.pages.flat().some((one) => one.state === 'waiting') ? REFRESHED_MS : false),
  })
  const replay = useBackgroundAction((id: number) => request('POST /admin/x/outbox/{id}/replay', { path: { id } }), t('outbox.replayed'))
  const discard = useBackgroundAction((id: number) => request('DELETE /admin/x/outbox/{id}', { path: { id } }), t('outbox.discarded'))
  const confirmDiscard = (one: OutboxChange) =>
    confirmFirst({
      title: t('outbox.discardTitle', { id: one.id }),
      hint: t('outbox.discardHint', { name: one.function }),
      confirm: t('outbox.discard'),
      onConfirm: () => discard(one.id),
    })
  const rows = changes.data?.pages.flat()
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">{t('outbox.hint')}</Text>
      <Group>
        <SegmentedControl
          size="xs"
          aria-label={t('providers.state')}
          value={chosen}
          onChange={(value) => void navigate({ to: '/activity', search: { tab: 'outbox', state: value === 'all' ? undefined : value }, replace: true })}
          data={STATES.map((value) => ({ value, label: t(`deliveries.state.${value}`) }))}
        />
      </Group>
      {changes.error && <ErrorState error={changes.error} retry={() => void changes.refetch()} />}
      {changes.isPending && <Loading rows={4} />}
      {rows?.length === 0 && <EmptyState title={chosen === 'failed' ? t('outbox.noneFailed') : t('outbox.none')}>{chosen === 'all' ? t('outbox.noneHint') : undefined}</EmptyState>}
      {rows && rows.length > 0 && (
        <SettingsTable
          label={t('activity.outbox')}
          columns={[t('background.name'), t('outbox.change'), t('providers.state'), { label: t('deliveries.attempts'), align: 'right' }, t('background.next'), t('background.error')]}
        >
          {rows.map((one) => (
            <Table.Tr key={one.id}>
              <Table.Td><FunctionName name={one.function} /></Table.Td>
              <Table.Td>
                {one.action}
                <Text size="xs" c="dimmed">
                  {types.get(one.uid)?.isDisplayed && one.action !== 'delete' ? (
                    <Link to="/content/$uid/$documentId" params={{ uid: one.uid, documentId: one.documentId }} search={{ locale: one.locale ?? undefined }} className="quire-title-link">
                      {types.get(one.uid)?.info.displayName} {one.documentId}
                    </Link>
                  ) : `${types.get(one.uid)?.info.displayName ?? one.uid} ${one.documentId}`}
                </Text>
              </Table.Td>
              <Table.Td><StateBadge state={one.state} /></Table.Td>
              <Table.Td ta="right">{one.attempts}</Table.Td>
              <Table.Td>{one.dueAt ? <RelativeTime at={one.dueAt} /> : '–'}</Table.Td>
              <Table.Td><Text inherit className="quire-ellipsis" title={one.message ?? undefined}>{one.message ?? '–'}</Text></Table.Td>
              <Table.Td>
                <RowMenu title={t('outbox.one', { id: one.id })}>
                  <Menu.Item leftSection={<Eye size={14} />} onClick={() => setOpened(one)}>{t('action.view')}</Menu.Item>
                  <Menu.Item leftSection={<Play size={14} />} onClick={() => replay(one.id)}>{t('outbox.replay')}</Menu.Item>
                  <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => confirmDiscard(one)}>{t('outbox.discard')}</Menu.Item>
                </RowMenu>
              </Table.Td>
            </Table.Tr>
          ))}
        </SettingsTable>
      )}
      {changes.hasNextPage && <Group><Button variant="default" loading={changes.isFetchingNextPage} onClick={() => void changes.fetchNextPage()}>{t('action.more')}</Button></Group>}
      {opened && <ChangeDialog change={opened} onClose={() => setOpened(null)} />}
    </Stack>
  )
}

/** A change with what was written, what was kept of it, and what has caused it. */
function ChangeDialog({ change, onClose }: { change: OutboxChange; onClose: () => void }) {
  const { t } = useTranslation()
  const whole = useQuery({
    queryKey: backgroundKey('change', change.id),
    staleTime: 0,
    queryFn: async () => (await request('GET /admin/x/outbox/{id}', { path: { id: change.id } })).data,
  })
  return (
    <DetailsDialog
      title={t('outbox.one', { id: change.id })}
      onClose={onClose}
      facts={[
        [t('background.name'), change.function],
        [t('outbox.change'), [change.action, change.uid, change.documentId, change.locale].filter(Boolean).join(' ')],
        [t('providers.state'), <StateBadge state={change.state} />],
        [t('deliveries.attempts'), change.attempts],
        [t('background.created'), absolute(change.createdAt)],
        [t('background.next'), change.dueAt ? absolute(change.dueAt) : '–'],
        [t('background.ended'), change.endedAt ? absolute(change.endedAt) : '–'],
        [t('background.error'), change.message ?? '–'],
      ]}
      json={whole.data && { fields: whole.data.fields, kept: whole.data.kept, causes: whole.data.causes }}
      actions={whole.error ? <ErrorState error={whole.error} /> : undefined}
    />
  )
}
