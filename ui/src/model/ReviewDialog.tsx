import { Accordion, Badge, Button, Code, Group, List, Modal, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { diffLines } from 'diff'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { planQuery, type Plan } from '../api/model'
import { ErrorState, Loading } from '../components/States'
import { applyChanges } from './apply'
import type { Change } from './changes'
import { sentenceOf, stepText } from './describe'
import { useBuilder, useChanges, usePendingBody } from './store'

/** Everything that the pending changes do; what removes content has to be confirmed by a name. */
export function ReviewDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal opened={opened} onClose={onClose} size="xl" title={t('model.reviewTitle')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      {opened && <Review onClose={onClose} />}
    </Modal>
  )
}

function Review({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const changes = useChanges()
  const body = usePendingBody()
  const { saved } = useBuilder()
  const plan = useQuery({ ...planQuery(body), staleTime: 0, retry: false })
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  if (plan.error) return <ErrorState error={plan.error} retry={() => void plan.refetch()} />
  if (!plan.data) return <Loading rows={5} />
  const isDestructive = plan.data.losses.length > 0
  const removal = (kind: Change['kind']) => changes.find((change) => change.kind === kind)
  const destroyed = removal('removeModel') ?? removal('removeField') ?? changes[0]
  const name = (destroyed && saved?.[destroyed.modelId]?.info.displayName) ?? destroyed?.model ?? ''
  const isAgreed = !isDestructive || typed.trim() === name
  const apply = async () => {
    setBusy(true)
    const outcome = await applyChanges(isDestructive ? plan.data.digest : undefined)
    setBusy(false)
    if (outcome === 'applied') onClose()
    else await plan.refetch()
  }
  return (
    <Stack gap="md">
      <section>
        <Title order={3} mb={4}>{t('model.review.changes')}</Title>
        <List size="sm" spacing={2}>
          {changes.map((change, index) => (
            <List.Item key={index}>{change.model}: {sentenceOf(change)}</List.Item>
          ))}
        </List>
      </section>
      <section>
        <Title order={3} mb={4}>{t('model.review.database')}</Title>
        <Steps plan={plan.data} />
      </section>
      {plan.data.files.length > 0 && (
        <section>
          <Title order={3} mb={4}>{t('model.review.files')}</Title>
          <Accordion variant="contained" chevronPosition="left">
            {plan.data.files.map((file) => (
              <Accordion.Item key={file.path} value={file.path}>
                <Accordion.Control><Text size="xs" ff="monospace">{file.path}</Text></Accordion.Control>
                <Accordion.Panel><FileDiff before={file.before ?? ''} after={file.after ?? ''} label={file.path} /></Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        </section>
      )}
      {isDestructive && (
        <Paper withBorder p="sm" style={{ borderColor: 'var(--mantine-color-error)' }}>
          <Text size="sm" mb="xs">{t('model.review.consent')}</Text>
          <TextInput
            data-autofocus
            label={t('model.review.type', { name })}
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Enter' && isAgreed && void apply()}
          />
        </Paper>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
        <Button color={isDestructive ? 'red.9' : undefined} loading={busy} disabled={!isAgreed} onClick={() => void apply()}>
          {isDestructive ? t('model.applyRemoving') : t('model.apply')}
        </Button>
      </Group>
    </Stack>
  )
}

function Steps({ plan }: { plan: Plan }) {
  const { t } = useTranslation()
  if (plan.steps.length === 0 && plan.notices.length === 0) return <Text size="sm" c="dimmed">{t('model.review.noSteps')}</Text>
  return (
    <Stack gap={4}>
      {plan.steps.map((step, index) => (
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <Text size="sm" style={{ flex: 1 }}>{stepText(step)}</Text>
          {step.rowsLost > 0 && <Badge size="sm" variant="light" color="red" tt="none">{t('model.review.lost', { count: step.rowsLost })}</Badge>}
        </Group>
      ))}
      {plan.notices.map((notice, index) => (
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <Text size="sm" style={{ flex: 1 }}>{t('model.plan.notice', { count: notice.rows, name: notice.attribute, rule: notice.rule })}</Text>
          <Badge size="sm" variant="light" color="yellow" tt="none">{t('model.review.kept')}</Badge>
        </Group>
      ))}
    </Stack>
  )
}

const CONTEXT = 3

/** The lines that differ, with some around them. */
function FileDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const parts = diffLines(before, after)
  return (
    <Code block tabIndex={0} role="region" aria-label={label} fz="xs" mah={280}>
      {parts.map((part, index) => {
        const sign = part.added ? '+' : part.removed ? '−' : ' '
        const lines = part.value.replace(/\n$/, '').split('\n')
        const shown =
          part.added || part.removed || lines.length <= CONTEXT * 2
            ? lines
            : [...(index === 0 ? [] : lines.slice(0, CONTEXT)), '…', ...(index === parts.length - 1 ? [] : lines.slice(-CONTEXT))]
        return (
          <span key={index} style={part.added || part.removed ? { color: `var(--mantine-color-${part.added ? 'green' : 'red'}-light-color)` } : undefined}>
            {shown.map((line) => `${sign} ${line}\n`).join('')}
          </span>
        )
      })}
    </Code>
  )
}
