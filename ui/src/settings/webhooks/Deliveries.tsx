import { ActionIcon, Badge, Button, Group, SegmentedControl, Table, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { Delivery } from '../../api/generated'
import { useAbility } from '../../api/hooks'
import { DetailsDialog } from '../../components/DetailsDialog'
import { absolute, RelativeTime } from '../../components/RelativeTime'
import { ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { Section } from '../components'
import { settingsKey, webhooksQuery } from '../queries'

const COLORS = { delivered: 'green', waiting: 'yellow', failed: 'red' } as const
const STATES = ['all', 'delivered', 'waiting', 'failed'] as const
const EACH = 20

/** What was sent to a webhook, or to all of them, the latest first. */
export function Deliveries({ id }: { id?: string }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const queries = useQueryClient()
  const [state, setState] = useState<(typeof STATES)[number]>('all')
  const [opened, setOpened] = useState<Delivery | null>(null)
  const deliveries = useInfiniteQuery({
    queryKey: settingsKey('webhooks', id ?? 'all', 'deliveries', state),
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam }) => {
      const query = { limit: EACH, before: pageParam, state: state === 'all' ? undefined : state }
      if (id === undefined) return (await request('GET /admin/x/deliveries', { query })).data
      return (await request('GET /admin/x/webhooks/{id}/deliveries', { path: { id }, query })).data
    },
    getNextPageParam: (last) => (last.length === EACH ? last[last.length - 1]?.id : undefined),
    // What waits is tried again: show how it goes on.
    refetchInterval: (query) => (query.state.data?.pages.flat().some((one) => one.state === 'waiting') ? 3000 : false),
  })
  const redeliver = useMutation({
    mutationFn: (delivery: Delivery) =>
      request('POST /admin/x/webhooks/{id}/deliveries/{delivery}/redeliver', { path: { id: delivery.webhookId, delivery: delivery.id } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: settingsKey('webhooks') })
      toast(t('deliveries.again'))
    },
    onError: (error) => toastError(error),
  })
  const webhooks = useQuery({ ...webhooksQuery, enabled: id === undefined })
  const nameOf = (one: Delivery) => webhooks.data?.find((webhook) => webhook.id === String(one.webhookId))?.name ?? one.webhookId
  const rows = deliveries.data?.pages.flat()
  return (
    <Section title={t('deliveries.title')} hint={t('deliveries.hint')}>
      <Group justify="space-between" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('providers.state')}
          value={state}
          onChange={(value) => setState(value as typeof state)}
          data={STATES.map((value) => ({ value, label: t(`deliveries.state.${value}`) }))}
        />
        <Tooltip label={t('deliveries.refresh')}>
          <ActionIcon aria-label={t('deliveries.refresh')} loading={deliveries.isRefetching} onClick={() => void deliveries.refetch()}><RotateCw size={14} /></ActionIcon>
        </Tooltip>
      </Group>
      {deliveries.error && <ErrorState error={deliveries.error} retry={() => void deliveries.refetch()} />}
      {deliveries.isPending && <Loading rows={3} />}
      {rows?.length === 0 && <Text size="sm" c="dimmed">{t('deliveries.none')}</Text>}
      {rows && rows.length > 0 && (
        <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('activity.deliveries')}>
          <Table className="quire-table" verticalSpacing={6} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                {id === undefined && <Table.Th>{t('webhooks.webhook')}</Table.Th>}
                <Table.Th>{t('webhooks.event')}</Table.Th>
                <Table.Th>{t('providers.state')}</Table.Th>
                <Table.Th>{t('deliveries.answer')}</Table.Th>
                <Table.Th ta="right">{t('deliveries.attempts')}</Table.Th>
                <Table.Th>{t('deliveries.at')}</Table.Th>
                <Table.Th w={110}><VisuallyHidden>{t('list.rowActions')}</VisuallyHidden></Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((one) => (
                <Table.Tr key={one.id}>
                  {id === undefined && (
                    <Table.Td>
                      <Link to="/settings/webhooks/$id" params={{ id: String(one.webhookId) }} className="quire-title-link">{nameOf(one)}</Link>
                    </Table.Td>
                  )}
                  <Table.Td>{one.event}<Text size="xs" c="dimmed">{one.uid}</Text></Table.Td>
                  <Table.Td>
                    <StateBadge state={one.state} />
                    <NextAttempt delivery={one} />
                  </Table.Td>
                  <Table.Td><Text inherit className="quire-ellipsis">{[one.statusCode, one.message].filter(Boolean).join(' ') || '–'}</Text></Table.Td>
                  <Table.Td ta="right">{one.attempts}</Table.Td>
                  <Table.Td><RelativeTime at={one.createdAt} /></Table.Td>
                  <Table.Td ta="right">
                    <Button variant="subtle" size="compact-xs" aria-label={t('activity.details', { action: t('deliveries.show', { id: one.id }) })} onClick={() => setOpened(one)}>{t('action.view')}</Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {deliveries.hasNextPage && (
        <Button mt="sm" variant="default" loading={deliveries.isFetchingNextPage} onClick={() => void deliveries.fetchNextPage()}>{t('action.more')}</Button>
      )}
      {opened && (
        <DeliveryDialog
          delivery={opened}
          onClose={() => setOpened(null)}
          onRedeliver={
            ability.can('admin::webhooks.update')
              ? () => {
                  redeliver.mutate(opened)
                  setOpened(null)
                }
              : undefined
          }
        />
      )}
    </Section>
  )
}

function StateBadge({ state }: { state: Delivery['state'] }) {
  const { t } = useTranslation()
  return <Badge size="sm" variant="light" tt="none" color={COLORS[state]}>{t(`deliveries.state.${state}`)}</Badge>
}

/** When a delivery that waits is tried next; one that is due may still wait for others. */
function NextAttempt({ delivery: { nextAt } }: { delivery: Delivery }) {
  const { t } = useTranslation()
  if (!nextAt) return null
  const isDue = new Date(nextAt) <= new Date()
  return <Text size="xs" c="dimmed">{t('deliveries.next')} {isDue ? t('deliveries.due') : <RelativeTime at={nextAt} />}</Text>
}

/** One delivery with what was sent. */
function DeliveryDialog({ delivery, onClose, onRedeliver }: { delivery: Delivery; onClose: () => void; onRedeliver?: () => void }) {
  const { t } = useTranslation()
  const whole = useQuery({
    queryKey: settingsKey('webhooks', delivery.webhookId, 'delivery', delivery.id),
    queryFn: async () => (await request('GET /admin/x/webhooks/{id}/deliveries/{delivery}', { path: { id: delivery.webhookId, delivery: delivery.id } })).data,
  })
  const { event, state, attempts, createdAt, nextAt, endedAt, statusCode, message, payload } = { ...delivery, ...whole.data }
  return (
    <DetailsDialog
      title={t('deliveries.show', { id: delivery.id })}
      onClose={onClose}
      facts={[
        [t('webhooks.event'), event],
        [t('providers.state'), <StateBadge state={state} />],
        [t('deliveries.answer'), [statusCode, message].filter(Boolean).join(' ') || '–'],
        [t('deliveries.attempts'), attempts],
        [t('deliveries.at'), absolute(createdAt)],
        [t('deliveries.next'), nextAt ? absolute(nextAt) : '–'],
        [t('background.ended'), endedAt ? absolute(endedAt) : '–'],
      ]}
      json={payload}
      actions={whole.error || onRedeliver ? (
        <>
          {whole.error && <ErrorState error={whole.error} />}
          {onRedeliver && <Button onClick={onRedeliver}>{t('deliveries.redeliver')}</Button>}
        </>
      ) : undefined}
    />
  )
}
