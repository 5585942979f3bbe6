import { ActionIcon, Affix, Anchor, Button, Group, Paper, Progress, ScrollArea, Stack, Text, ThemeIcon } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { Check, CircleSlash, TriangleAlert, X } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { i18next } from '../i18n'
import { removeJob, useJobs, type Job } from './jobs'

const SHOWN_AFTER_END_MS = 6000
const PARTS_SHOWN = 20

const percent = (share: number) => new Intl.NumberFormat(i18next.language, { style: 'percent' }).format(share)

/** The progress of long work, at the bottom right, on whichever screen. */
export function JobTray() {
  const { t } = useTranslation()
  const jobs = useJobs((state) => state.jobs)
  useWindowEvent('beforeunload', (event) => {
    if (useJobs.getState().jobs.some((job) => job.state === 'running')) event.preventDefault()
  })
  if (jobs.length === 0) return null
  return (
    <Affix position={{ bottom: 16, right: 16 }} zIndex={190}>
      <Paper withBorder shadow="md" w={320} maw="calc(100vw - 32px)" className="quire-surface" role="region" aria-label={t('jobs.title')}>
        <ScrollArea.Autosize mah="50vh" viewportProps={{ tabIndex: 0 }}>
          <Stack gap="sm" p="sm">
            {jobs.map((job) => <JobRow key={job.id} job={job} />)}
          </Stack>
        </ScrollArea.Autosize>
      </Paper>
    </Affix>
  )
}

function JobRow({ job }: { job: Job }) {
  const { t } = useTranslation()
  const { id, state, total, done, failures, title } = job
  const isRunning = state === 'running'
  const isClean = state === 'done' && failures.length === 0
  useEffect(() => {
    if (!isClean) return
    const timer = setTimeout(() => removeJob(id), SHOWN_AFTER_END_MS)
    return () => clearTimeout(timer)
  }, [isClean, id])
  // Parts of things are done, too, and their sum is not exact.
  const whole = Math.floor(done + 1e-6)
  const progress = total === null ? t('jobs.done', { count: whole }) : t('jobs.progress', { done: whole, total })
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        {!isRunning && (
          <ThemeIcon size={18} radius="xl" variant="light" color={isClean ? 'green' : state === 'cancelled' ? 'gray' : 'red'}>
            {isClean ? <Check size={12} /> : state === 'cancelled' ? <CircleSlash size={12} /> : <TriangleAlert size={12} />}
          </ThemeIcon>
        )}
        <Text size="sm" fw={500} className="quire-ellipsis" style={{ flex: 1 }}>{title}</Text>
        <Text size="xs" c="dimmed" role="status" style={{ whiteSpace: 'nowrap' }}>
          {isRunning || state === 'done' ? progress : t(`jobs.${state}`, { done: whole, total: total ?? whole })}
        </Text>
        <ActionIcon size="sm" aria-label={isRunning ? t('jobs.cancel', { title }) : t('jobs.remove', { title })} onClick={() => (isRunning ? job.cancel() : removeJob(id))}>
          <X size={14} />
        </ActionIcon>
      </Group>
      {isRunning && <Progress mt={6} size="sm" aria-label={title} animated={total === null} value={total ? (100 * done) / total : 100} />}
      {job.parts.length > 1 && (
        <Stack gap={2} mt={6} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {job.parts.slice(0, PARTS_SHOWN).map((part) => (
            <Group key={part.id} component="li" gap={6} wrap="nowrap">
              <Text size="xs" c={part.share === null ? 'dimmed' : undefined} className="quire-ellipsis" title={part.title} style={{ flex: 1 }}>{part.title}</Text>
              {part.share !== null && <Text size="xs" c="dimmed">{percent(part.share)}</Text>}
              <ActionIcon size={18} aria-label={t('jobs.cancel', { title: part.title })} onClick={part.cancel}><X size={12} /></ActionIcon>
            </Group>
          ))}
          {job.parts.length > PARTS_SHOWN && <Text component="li" size="xs" c="dimmed">{t('jobs.more', { count: job.parts.length - PARTS_SHOWN })}</Text>}
        </Stack>
      )}
      {job.message && <Text size="xs" c="red" mt={4} role="alert">{job.message}</Text>}
      {failures.length > 0 && (
        <Stack gap={2} mt={6}>
          <Text size="xs" fw={500}>{t('jobs.failures', { count: failures.length })}</Text>
          {failures.slice(0, 50).map((failure, index) => (
            <Text key={index} size="xs">
              {failure.path ? <Anchor component={Link} to={failure.path} inherit>{failure.title}</Anchor> : failure.title}
              {': '}
              <Text span c="dimmed" inherit>{failure.message}</Text>
            </Text>
          ))}
        </Stack>
      )}
      {job.retry && !isRunning && !isClean && (
        <Button
          size="compact-xs"
          variant="default"
          mt={6}
          onClick={() => {
            removeJob(id)
            job.retry?.()
          }}
        >
          {t('action.retry')}
        </Button>
      )}
    </div>
  )
}
