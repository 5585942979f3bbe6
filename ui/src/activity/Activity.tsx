import { Autocomplete, Badge, Button, Group, Select, SimpleGrid, Stack, Table, Tabs, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import dayjs from 'dayjs'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import type { AuditRow } from '../api/generated'
import { useAbility, useIsSuperAdmin, useModel } from '../api/hooks'
import { download } from '../components/download'
import { DayInput } from '../components/dateInputs'
import { DetailsDialog } from '../components/DetailsDialog'
import { absolute, RelativeTime } from '../components/RelativeTime'
import { EmptyState, ErrorState, Loading, NoPermission } from '../components/States'
import { toastError } from '../components/toast'
import { activityRoute, type ActivitySearch } from '../router'
import { SettingsPage } from '../settings/components'
import { Deliveries } from '../settings/webhooks/Deliveries'
import { EACH } from './background'
import { Jobs } from './Jobs'
import { Outbox } from './Outbox'
import { Schedules } from './Schedules'

const TABS = ['log', 'deliveries', 'jobs', 'schedules', 'outbox'] as const
const TITLES = { log: 'activity.log', deliveries: 'activity.deliveries', jobs: 'activity.jobs', schedules: 'activity.schedules', outbox: 'activity.outbox' } as const

/** For super admins who did what in the admin UI and what runs in the background; and what was sent to webhooks. */
export function Activity() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const isSuper = useIsSuperAdmin()
  const mayReadWebhooks = useAbility().can('admin::webhooks.read')
  const { tab } = activityRoute.useSearch()
  if (!isSuper && !mayReadWebhooks) return <SettingsPage title={t('nav.activity')}><NoPermission>{t('activity.forbidden')}</NoPermission></SettingsPage>
  const tabs = TABS.filter((one) => (one === 'deliveries' ? mayReadWebhooks : isSuper))
  const opened = tabs.find((one) => one === tab) ?? tabs[0]
  return (
    <SettingsPage title={t('nav.activity')}>
      <Tabs value={opened} keepMounted={false} onChange={(value) => void navigate({ to: '/activity', search: value === tabs[0] ? {} : { tab: value ?? undefined } })}>
        <Tabs.List mb="md">
          {tabs.map((one) => <Tabs.Tab key={one} value={one}>{t(TITLES[one])}</Tabs.Tab>)}
        </Tabs.List>
        <Tabs.Panel value="log"><Log /></Tabs.Panel>
        <Tabs.Panel value="deliveries"><Deliveries /></Tabs.Panel>
        <Tabs.Panel value="jobs"><Jobs /></Tabs.Panel>
        <Tabs.Panel value="schedules"><Schedules /></Tabs.Panel>
        <Tabs.Panel value="outbox"><Outbox /></Tabs.Panel>
      </Tabs>
    </SettingsPage>
  )
}

function Log() {
  const { t } = useTranslation()
  const { displayed } = useModel()
  const search = activityRoute.useSearch()
  const [asked] = useDebouncedValue(search, 200)
  const navigate = useNavigate()
  const [opened, setOpened] = useState<AuditRow | null>(null)
  const isFiltered = Object.values(search).some(Boolean)
  const query = {
    actor: asked.actor?.trim().toLowerCase(),
    action: asked.action?.trim(),
    type: asked.target,
    since: asked.from ? dayjs(asked.from).valueOf() : undefined,
    until: asked.until ? dayjs(asked.until).add(1, 'day').valueOf() : undefined,
  }
  const log = useInfiniteQuery({
    queryKey: ['activity', asked],
    placeholderData: keepPreviousData,
    staleTime: 0,
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam, signal }) => (await request('GET /admin/x/audit', { query: { ...query, limit: EACH, before: pageParam }, signal })).data,
    getNextPageParam: (last) => (last.length === EACH ? last.at(-1)?.id : undefined),
  })
  const save = useMutation({
    mutationFn: async () => (await request('GET /admin/x/audit/export', { query })) as unknown as string,
    onSuccess: (text) => download('audit.ndjson', text),
    onError: (error) => toastError(error),
  })
  const rows = log.data?.pages.flat()
  const seen = (pick: (row: AuditRow) => string) => [...new Set(rows?.map(pick).filter(Boolean))].sort()
  const clear = () => void navigate({ to: '/activity', search: {} })
  const change = (part: ActivitySearch) => void navigate({ to: '/activity', search: { ...search, ...part }, replace: true })
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">{t('activity.hint')}</Text>
        <Tooltip label={t('activity.exportHint')}>
          <Button variant="default" leftSection={<Download size={14} />} loading={save.isPending} onClick={() => save.mutate()}>{t('activity.export')}</Button>
        </Tooltip>
      </Group>
      <SimpleGrid cols={{ base: 2, md: 5 }} spacing="xs" role="search">
        <Autocomplete label={t('activity.who')} placeholder={t('activity.anyone')} data={seen((row) => row.actor)} value={search.actor ?? ''} onChange={(actor) => change({ actor: actor || undefined })} />
        <Autocomplete label={t('activity.action')} placeholder={t('activity.actionHint')} data={seen((row) => row.action)} value={search.action ?? ''} onChange={(action) => change({ action: action || undefined })} comboboxProps={{ width: 420, position: 'bottom-start' }} />
        <Select
          label={t('activity.target')}
          placeholder={t('activity.anyType')}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('action.clear') }}
          data={displayed.map((type) => ({ value: type.uid, label: type.info.displayName }))}
          value={search.target ?? null}
          onChange={(target) => change({ target: target ?? undefined })}
        />
        <DayInput label={t('activity.from')} value={search.from ?? null} onChange={(from) => change({ from: from ?? undefined })} />
        <DayInput label={t('activity.until')} value={search.until ?? null} onChange={(until) => change({ until: until ?? undefined })} />
      </SimpleGrid>
      {isFiltered && rows?.length !== 0 && <Group><Button size="compact-xs" variant="subtle" onClick={clear}>{t('activity.clear')}</Button></Group>}
      {log.error && <ErrorState error={log.error} retry={() => void log.refetch()} />}
      {log.isPending && <Loading rows={8} />}
      {rows?.length === 0 && <EmptyState title={isFiltered ? t('activity.noneFiltered') : t('activity.none')} action={isFiltered ? <Button variant="default" onClick={clear}>{t('activity.clear')}</Button> : undefined} />}
      {rows && rows.length > 0 && (
        <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('nav.activity')}>
          <Table className="quire-table" verticalSpacing={6} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('activity.at')}</Table.Th>
                <Table.Th>{t('activity.who')}</Table.Th>
                <Table.Th>{t('activity.action')}</Table.Th>
                <Table.Th>{t('activity.status')}</Table.Th>
                <Table.Th w={80}><VisuallyHidden>{t('list.rowActions')}</VisuallyHidden></Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={row.id}>
                  <Table.Td><RelativeTime at={row.at} /></Table.Td>
                  <Table.Td>{row.actor || '–'}</Table.Td>
                  <Table.Td>
                    <Text ff="monospace" fz={12}>{row.action}</Text>
                    {row.target && <Text size="xs" c="dimmed">{/^\d+$/.test(row.target) ? t('activity.id', { id: row.target }) : row.target}</Text>}
                  </Table.Td>
                  <Table.Td><Badge size="sm" variant="light" tt="none" color={row.status < 400 ? 'green' : 'red'}>{row.status}</Badge></Table.Td>
                  <Table.Td ta="right">
                    <Button variant="subtle" size="compact-xs" aria-label={t('activity.details', { action: row.action })} onClick={() => setOpened(row)}>{t('action.view')}</Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {log.hasNextPage && <Group><Button variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>{t('action.more')}</Button></Group>}
      {opened && <Details row={opened} onClose={() => setOpened(null)} />}
    </Stack>
  )
}

function Details({ row, onClose }: { row: AuditRow; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <DetailsDialog
      title={row.action}
      onClose={onClose}
      facts={[
        [t('activity.at'), absolute(row.at)],
        [t('activity.who'), row.actor || '–'],
        [t('activity.on'), row.target || '–'],
        [t('activity.status'), row.status],
        [t('activity.address'), row.place || '–'],
      ]}
      json={row.details}
    />
  )
}
