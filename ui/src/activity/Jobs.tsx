import { Button, Group, Menu, Select, Stack, Table, Text } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ban, Eye, Play } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import type { Job } from '../api/generated'
import { DetailsDialog } from '../components/DetailsDialog'
import { absolute, RelativeTime } from '../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../components/States'
import { activityRoute } from '../router'
import { confirmFirst } from '../components/confirm'
import { RowMenu, SettingsTable } from '../settings/SettingsTable'
import { backgroundKey, EACH, FunctionName, JOB_STATES, REFRESHED_MS, StateBadge, useBackgroundAction } from './background'

const mayRun = (job: Job) => job.state === 'waiting' || job.state === 'failed' || job.state === 'cancelled'
const mayCancel = (job: Job) => job.state === 'waiting' || job.state === 'running' || job.state === 'failed'
/** What goes on by itself within a minute or so; what waits for longer is not worth asking for again and again. */
const isMoving = (job: Job) => job.state === 'running' || (job.state === 'waiting' && Date.parse(job.dueAt ?? job.createdAt) < Date.now() + 60_000)

/** The functions that run in the background, the latest first, for super admins. */
export function Jobs() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { state, name } = activityRoute.useSearch()
  const chosen = JOB_STATES.find((one) => one === state)
  const [opened, setOpened] = useState<number | null>(null)
  const jobs = useInfiniteQuery({
    queryKey: backgroundKey('jobs', chosen, name),
    placeholderData: keepPreviousData,
    staleTime: 0,
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam, signal }) =>
      (await request('GET /admin/x/jobs', { query: { state: chosen, name, limit: EACH, before: pageParam }, signal })).data,
    getNextPageParam: (last) => (last.jobs.length === EACH ? last.jobs.at(-1)?.id : undefined),
    refetchInterval: (query) => (query.state.data?.pages.some((page) => page.jobs.some(isMoving)) ? REFRESHED_MS : false),
  })
  const retry = useBackgroundAction((id: number) => request('POST /admin/x/jobs/{id}/retry', { path: { id } }), t('background.retried'))
  const cancel = useBackgroundAction((id: number) => request('POST /admin/x/jobs/{id}/cancel', { path: { id } }), t('background.cancelled'))
  const confirmCancel = (job: Job) =>
    confirmFirst({
      title: t(job.state === 'failed' ? 'background.dismissTitle' : 'background.cancelTitle', { id: job.id }),
      hint: job.state === 'running' ? t('background.cancelRunning') : undefined,
      confirm: t(job.state === 'failed' ? 'background.dismiss' : 'background.cancel'),
      onConfirm: () => cancel(job.id),
    })
  const rows = jobs.data?.pages.flatMap((page) => page.jobs)
  const summary = jobs.data?.pages[0]
  const change = (part: { state?: string; name?: string }) =>
    void navigate({ to: '/activity', search: { tab: 'jobs', state, name, ...part }, replace: true })
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">{t('background.hint')}</Text>
      <Group gap="xs" role="search" align="flex-end">
        <Select
          label={t('providers.state')}
          clearable
          clearButtonProps={{ 'aria-label': t('action.clear') }}
          placeholder={t('deliveries.state.all')}
          data={JOB_STATES.map((value) => ({ value, label: `${t(`background.state.${value}`)} (${summary?.counts[value] ?? 0})` }))}
          value={chosen ?? null}
          onChange={(value) => change({ state: value ?? undefined })}
        />
        <Select
          label={t('background.name')}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('action.clear') }}
          placeholder={t('deliveries.state.all')}
          comboboxProps={{ width: 340, position: 'bottom-start' }}
          data={[...new Set([...(name ? [name] : []), ...Object.keys(summary?.names ?? {})])].map((value) => ({ value, label: `${value} (${summary?.names[value] ?? 0})` }))}
          value={name ?? null}
          onChange={(value) => change({ name: value ?? undefined })}
        />
      </Group>
      {jobs.error && <ErrorState error={jobs.error} retry={() => void jobs.refetch()} />}
      {jobs.isPending && <Loading rows={6} />}
      {rows?.length === 0 && (
        <EmptyState title={chosen || name ? t('activity.noneFiltered') : t('background.none')}>{chosen || name ? undefined : t('background.noneHint')}</EmptyState>
      )}
      {rows && rows.length > 0 && (
        <SettingsTable
          label={t('activity.jobs')}
          columns={[t('background.name'), t('providers.state'), { label: t('deliveries.attempts'), align: 'right' }, t('background.created'), t('background.next'), t('background.error')]}
        >
          {rows.map((job) => (
            <Table.Tr key={job.id}>
              <Table.Td><FunctionName name={job.name} /></Table.Td>
              <Table.Td><StateBadge state={job.state} /></Table.Td>
              <Table.Td ta="right">{job.attempts}</Table.Td>
              <Table.Td><RelativeTime at={job.createdAt} /></Table.Td>
              <Table.Td>{job.dueAt ? <RelativeTime at={job.dueAt} /> : '–'}</Table.Td>
              <Table.Td><Text inherit className="quire-ellipsis" title={job.message ?? undefined}>{job.message ?? '–'}</Text></Table.Td>
              <Table.Td>
                <RowMenu title={t('background.one', { id: job.id })}>
                  <Menu.Item leftSection={<Eye size={14} />} onClick={() => setOpened(job.id)}>{t('action.view')}</Menu.Item>
                  {mayRun(job) && <Menu.Item leftSection={<Play size={14} />} onClick={() => retry(job.id)}>{t(job.state === 'waiting' ? 'background.runNow' : 'background.retry')}</Menu.Item>}
                  {mayCancel(job) && <Menu.Item color="red" leftSection={<Ban size={14} />} onClick={() => confirmCancel(job)}>{t(job.state === 'failed' ? 'background.dismiss' : 'background.cancel')}</Menu.Item>}
                </RowMenu>
              </Table.Td>
            </Table.Tr>
          ))}
        </SettingsTable>
      )}
      {jobs.hasNextPage && <Group><Button variant="default" loading={jobs.isFetchingNextPage} onClick={() => void jobs.fetchNextPage()}>{t('action.more')}</Button></Group>}
      {opened !== null && <JobDialog id={opened} onClose={() => setOpened(null)} />}
    </Stack>
  )
}

/** A job with its arguments, and what has caused it. */
export function JobDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation()
  const job = useQuery({
    queryKey: backgroundKey('job', id),
    staleTime: 0,
    queryFn: async () => (await request('GET /admin/x/jobs/{id}', { path: { id } })).data,
    refetchInterval: (query) => (query.state.data && isMoving(query.state.data) ? REFRESHED_MS : false),
  })
  const { data } = job
  const moment = (at?: string | null) => (at ? absolute(at) : '–')
  return (
    <DetailsDialog
      title={t('background.one', { id })}
      onClose={onClose}
      facts={data ? [
        [t('background.name'), data.name],
        [t('providers.state'), <StateBadge state={data.state} />],
        [t('deliveries.attempts'), data.attempts],
        [t('background.queue'), data.queue],
        [t('background.created'), absolute(data.createdAt)],
        [t('background.started'), moment(data.startedAt)],
        [t('background.next'), moment(data.dueAt)],
        [t('background.ended'), moment(data.endedAt)],
        [t('background.error'), data.message ?? '–'],
      ] : []}
      json={data && { arguments: data.arguments, causes: data.causes }}
      actions={job.error ? <ErrorState error={job.error} /> : undefined}
    />
  )
}
