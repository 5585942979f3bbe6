import { Anchor, Button, Group, Loader, Paper, Text, Tooltip, ActionIcon } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { Check, Redo2, TriangleAlert, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAbility } from '../api/hooks'
import { planQuery } from '../api/model'
import { isFailure, messageOf } from '../components/errors'
import { RetryLine } from '../components/States'
import { focusIfLost } from '../shell/focus'
import { useScreenHotkeys } from '../shell/keyboard'
import { applyChanges, undoApplied } from './apply'
import { sentenceOf, warningsOf } from './describe'
import type { Problem } from './names'
import { PublicRead } from './PublicRead'
import { ReviewDialog } from './ReviewDialog'
import { useBuilder, useChanges, usePendingBody } from './store'

const SHOWN = 3

/** What is pending, what it would do, and the way to apply it. */
export function PendingBar({ problems }: { problems: Problem[] }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const ability = useAbility()
  const pathname = useLocation({ select: (location) => location.pathname })
  const changes = useChanges()
  const body = usePendingBody()
  const { past, future, applied, undo, redo, discard, draft } = useBuilder()
  const [reviews, setReviews] = useState(false)
  const [busy, setBusy] = useState(false)
  const [asked] = useDebouncedValue(body, 500)
  const isAsked = changes.length > 0 && problems.length === 0
  const plan = useQuery({ ...planQuery(asked), enabled: isAsked && asked === body && !busy, retry: false })
  useScreenHotkeys([['mod+Z', undo], ['mod+shift+Z', redo]])
  useScreenHotkeys([['mod+S', () => void apply()]], [])

  const apply = async () => {
    if (busy || changes.length === 0 || problems.length > 0) return
    if ((plan.data?.losses.length ?? 0) > 0) return setReviews(true)
    setBusy(true)
    const outcome = await applyChanges()
    setBusy(false)
    if (outcome === 'needsConsent') setReviews(true)
  }
  const revert = async () => {
    setBusy(true)
    await undoApplied()
    setBusy(false)
  }
  if (changes.length === 0) {
    if (!applied) return null
    const current = Object.values(draft).find((model) => decodeURIComponent(pathname).endsWith(`/model/${model.uid}`))
    const created = current && !current.isComponent && ability.canContent('create', current.uid) ? current : undefined
    return (
      <Paper ref={focusIfLost} tabIndex={-1} withBorder className="quire-surface quire-pending" p="sm" role="status">
        <Group justify="space-between" gap="sm">
          <Group gap="xs">
            <Check size={16} color="var(--mantine-color-green-light-color)" aria-hidden />
            <Text size="sm" fw={500}>{t('model.applied')}</Text>
          </Group>
          <Group gap="xs">
            {created && <PublicRead model={created} />}
            {created && (
              <Button component={Link} to={created.kind === 'collectionType' ? `/content/${created.uid}/create` : `/content/${created.uid}`}>
                {t(created.kind === 'collectionType' ? 'model.createEntry' : 'model.editEntry')}
              </Button>
            )}
            <Button variant="default" leftSection={<Undo2 size={14} />} loading={busy} onClick={() => void revert()}>{t('model.undoApplied')}</Button>
            <Button variant="subtle" color="gray" onClick={() => useBuilder.getState().setApplied(null)}>{t('action.close')}</Button>
          </Group>
        </Group>
      </Paper>
    )
  }
  const warnings = warningsOf(plan.data)
  const first = problems[0]
  const open = (problem: Problem) => {
    const model = draft[problem.modelId]
    if (!model) return
    useBuilder.getState().select(problem.fieldId ?? null)
    void navigate({ to: '/model/$uid', params: { uid: model.uid }, search: problem.fieldId ? {} : { tab: 'settings' } })
  }
  return (
    <Paper withBorder className="quire-surface quire-pending" p="sm" component="section" aria-label={t('model.pending')}>
      <Group gap="sm" justify="space-between" align="flex-start">
        <div style={{ flex: '1 1 320px', minWidth: 0 }}>
          <Text size="sm">
            <b>{t('model.changes', { count: changes.length })}</b>
            {changes.slice(0, SHOWN).map((change, index) => <span key={index}> · {sentenceOf(change)}</span>)}
            {changes.length > SHOWN && ` · ${t('model.moreChanges', { count: changes.length - SHOWN })}`}
          </Text>
          {first && (
            <Group gap={6} mt={4} wrap="nowrap" role="alert" c="var(--mantine-color-error)">
              <TriangleAlert size={14} aria-hidden style={{ flexShrink: 0 }} />
              <Anchor component="button" type="button" size="sm" c="inherit" ta="left" onClick={() => open(first)}>
                {first.message}
              </Anchor>
            </Group>
          )}
          {!first && plan.error && (isFailure(plan.error)
            ? <RetryLine error={plan.error} retry={() => void plan.refetch()} />
            : <Text size="sm" c="var(--mantine-color-error)" mt={4} role="alert">{messageOf(plan.error)}</Text>)}
          {!first && warnings.length > 0 && (
            <Group gap={6} mt={4} wrap="nowrap">
              <TriangleAlert size={14} aria-hidden style={{ flexShrink: 0 }} />
              <Text size="sm">{warnings.join(' · ')}</Text>
            </Group>
          )}
          {!first && plan.data && warnings.length === 0 && <Text size="sm" c="dimmed" mt={4}>{t('model.plan.safe')}</Text>}
        </div>
        <Group gap={6}>
          {plan.isFetching && <Loader size={14} aria-hidden />}
          <Tooltip label={t('shortcut.undo')}>
            <ActionIcon aria-label={t('shortcut.undo')} disabled={past.length === 0} onClick={undo}><Undo2 size={15} /></ActionIcon>
          </Tooltip>
          <Tooltip label={t('shortcut.redo')}>
            <ActionIcon aria-label={t('shortcut.redo')} disabled={future.length === 0} onClick={redo}><Redo2 size={15} /></ActionIcon>
          </Tooltip>
          <Button variant="subtle" onClick={discard} disabled={busy}>{t('model.discard')}</Button>
          <Button variant="default" onClick={() => setReviews(true)} disabled={problems.length > 0}>{t('model.review')}</Button>
          <Button onClick={() => void apply()} loading={busy} disabled={problems.length > 0 || plan.isError}>{t('model.apply')}</Button>
        </Group>
      </Group>
      <ReviewDialog opened={reviews} onClose={() => setReviews(false)} />
    </Paper>
  )
}
