import { Button, Code, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { RelativeTime } from '../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../components/States'
import { SettingsTable } from '../settings/SettingsTable'
import { backgroundKey, FunctionName, REFRESHED_MS, StateBadge, useBackgroundAction } from './background'
import { JobDialog } from './Jobs'

/** The schedules of the project's code, with their next and last runs, for super admins. */
export function Schedules() {
  const { t } = useTranslation()
  const [opened, setOpened] = useState<number | null>(null)
  const schedules = useQuery({
    queryKey: backgroundKey('schedules'),
    staleTime: 0,
    queryFn: async () => (await request('GET /admin/x/schedules')).data,
    refetchInterval: (query) =>
      query.state.data?.some(({ lastJob }) => lastJob?.state === 'running' || lastJob?.state === 'waiting') ? REFRESHED_MS : 30_000,
  })
  const run = useBackgroundAction((name: string) => request('POST /admin/x/schedules/{name}/run', { path: { name } }), t('schedules.started'))
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">{t('schedules.hint')}</Text>
      {schedules.error && <ErrorState error={schedules.error} retry={() => void schedules.refetch()} />}
      {schedules.isPending && <Loading rows={3} />}
      {schedules.data?.length === 0 && <EmptyState title={t('schedules.none')}>{t('schedules.noneHint')}</EmptyState>}
      {schedules.data && schedules.data.length > 0 && (
        <SettingsTable label={t('activity.schedules')} columns={[t('background.name'), t('schedules.cron'), t('background.next'), t('schedules.last')]}>
          {schedules.data.map(({ name, cron, timezone, nextDueAt, lastJob }) => (
            <Table.Tr key={name}>
              <Table.Td><FunctionName name={name} /></Table.Td>
              <Table.Td><Code fz={12}>{cron}</Code><Text size="xs" c="dimmed">{timezone}</Text></Table.Td>
              <Table.Td>{nextDueAt ? <RelativeTime at={nextDueAt} /> : '–'}</Table.Td>
              <Table.Td>
                {lastJob ? (
                  <UnstyledButton fz="inherit" title={t('background.one', { id: lastJob.id })} onClick={() => setOpened(lastJob.id)}>
                    <StateBadge state={lastJob.state} /> <RelativeTime at={lastJob.endedAt ?? lastJob.createdAt} />
                  </UnstyledButton>
                ) : '–'}
              </Table.Td>
              <Table.Td ta="right">
                <Button variant="default" size="compact-xs" leftSection={<Play size={12} />} aria-label={t('schedules.run', { name: name.slice(name.lastIndexOf('.') + 1) })} onClick={() => run(name)}>
                  {t('background.runNow')}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </SettingsTable>
      )}
      {opened !== null && <JobDialog id={opened} onClose={() => setOpened(null)} />}
    </Stack>
  )
}
