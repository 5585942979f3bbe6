import { Alert, Button, Group, Menu, Select, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CalendarClock, ListChecks, PencilLine, Trash2, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, request } from '../api/client'
import type { ReleaseDetail, ReleaseItem, ReleaseProblem } from '../api/generated'
import { useLocales, useModel } from '../api/hooks'
import { absolute, RelativeTime } from '../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../components/States'
import { StatusBadge } from '../components/StatusBadge'
import { toast, toastError } from '../components/toast'
import { releaseRoute } from '../router'
import { confirmFirst } from '../components/confirm'
import { wordingWithName } from '../components/serverMessages'
import { useFieldName } from '../content/fieldNames'
import { SettingsPage } from '../settings/components'
import { focusHeading } from '../shell/focus'
import { RowMenu } from '../settings/SettingsTable'
import { EntryLink } from './EntryLink'
import { NameDialog } from './NameDialog'
import { useMayPublish } from './permission'
import { entriesPublished, releaseChanged, releaseQuery, type ItemAction } from './queries'
import { ReleaseBadge } from './ReleaseBadge'
import { ScheduleRelease } from './ScheduleRelease'
import { titleOf } from './titles'

/** One release: its entries, what keeps it from being published, and the button that does it. */
export function ReleaseScreen() {
  const { t } = useTranslation()
  const id = Number(releaseRoute.useParams().id)
  const release = useQuery(releaseQuery(id))
  if (release.error) return <SettingsPage title={t('releases.one')} back={{ to: '/releases', label: t('releases.title') }}><ErrorState error={release.error} retry={() => void release.refetch()} /></SettingsPage>
  if (!release.data) return <SettingsPage title={t('releases.one')} back={{ to: '/releases', label: t('releases.title') }}><Loading /></SettingsPage>
  return <Opened key={id} release={release.data} />
}

function Opened({ release }: { release: ReleaseDetail }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const mayPublish = useMayPublish()
  const [isNaming, setNaming] = useState(false)
  const [isScheduling, setScheduling] = useState(false)
  /** Null until the release was tried. */
  const [problems, setProblems] = useState<ReleaseProblem[] | null>(null)
  const { id, name, items } = release
  const isDone = release.status === 'done'
  const onError = (error: unknown) => toastError(error)
  // The button that was pressed is gone.
  useEffect(focusHeading, [isDone, items.length === 0])

  const publish = useMutation({
    mutationFn: async () => (await request('POST /admin/x/releases/{id}/publish', { path: { id } })).data,
    onSuccess: (done) => {
      setProblems(null)
      releaseChanged(done)
      entriesPublished()
      toast(t('releases.publishedNow', { name, count: items.length }))
    },
    onError: (error) => {
      // Something has changed since the release was tried.
      const found = error instanceof ApiError ? error.details?.problems : undefined
      if (Array.isArray(found)) setProblems(found as ReleaseProblem[])
      toastError(error)
    },
  })
  const check = useMutation({
    mutationFn: async () => (await request('POST /admin/x/releases/{id}/check', { path: { id } })).data.problems,
    onSuccess: (found) => {
      setProblems(found)
      releaseChanged()
    },
    onError,
  })
  const undo = useMutation<ReleaseDetail, Error, boolean>({
    mutationFn: async (skipChanged) => (await request('POST /admin/x/releases/{id}/undo', { path: { id }, body: { skipChanged } })).data,
    onSuccess: (opened) => {
      releaseChanged(opened)
      entriesPublished()
      toast(t('releases.undone', { name }))
    },
    onError: (error) => {
      const since = error instanceof ApiError && error.status === 409 ? error.details?.entries : undefined
      if (!Array.isArray(since)) return toastError(error)
      confirmFirst({
        title: t('releases.changedTitle', { count: since.length }),
        hint: t('releases.changedHint'),
        confirm: t('releases.undoOthers'),
        onConfirm: () => undo.mutate(true),
      })
    },
  })
  const remove = useMutation({
    mutationFn: () => request('DELETE /admin/x/releases/{id}', { path: { id } }),
    onSuccess: async () => {
      await navigate({ to: '/releases' })
      releaseChanged()
      toast(t('releases.deleted', { name }))
    },
    onError,
  })
  const tryFirst = async () => {
    const found = await check.mutateAsync().catch(() => null)
    if (found?.length === 0) {
      confirmFirst({
        title: t('releases.askTitle', { count: items.length }),
        hint: t('releases.askHint'),
        confirm: t('action.publish'),
        isHarmless: true,
        onConfirm: () => publish.mutate(),
      })
    }
  }
  const whyNot = !mayPublish ? t('releases.noPermission') : items.length === 0 ? t('releases.emptyHint') : undefined
  const busy = check.isPending || publish.isPending || undo.isPending
  return (
    <SettingsPage
      title={name}
      back={{ to: '/releases', label: t('releases.title') }}
      hint={
        <Group component="span" gap={8}>
          <ReleaseBadge status={release.status} />
          {release.releasedAt ? <span>{t('releases.published')} <RelativeTime at={release.releasedAt} /></span> : <span>{t('releases.count', { count: items.length })}</span>}
          {release.scheduledAt && <span>{t('schedule.at', { at: absolute(release.scheduledAt) })}</span>}
        </Group>
      }
      actions={
        <>
          {!isDone && (
            <>
              <Button variant="default" leftSection={<ListChecks size={14} />} disabled={Boolean(whyNot)} title={whyNot} loading={check.isPending} onClick={() => check.mutate()}>{t('releases.check')}</Button>
              <Button variant="default" leftSection={<CalendarClock size={14} />} disabled={Boolean(whyNot)} title={whyNot} onClick={() => setScheduling(true)}>{t('schedule.open')}</Button>
              <Button disabled={Boolean(whyNot)} title={whyNot} loading={publish.isPending} onClick={() => !busy && void tryFirst()}>{t('action.publish')}</Button>
            </>
          )}
          {isDone && mayPublish && (
            <Button
              variant="default"
              leftSection={<Undo2 size={14} />}
              loading={undo.isPending}
              onClick={() => confirmFirst({ title: t('releases.undoTitle'), hint: t('releases.undoHint'), confirm: t('releases.undo'), onConfirm: () => undo.mutate(false) })}
            >
              {t('releases.undo')}
            </Button>
          )}
          {mayPublish && (
            <RowMenu title={name}>
              {!isDone && <Menu.Item leftSection={<PencilLine size={14} />} onClick={() => setNaming(true)}>{t('releases.rename')}</Menu.Item>}
              <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => confirmFirst({ title: t('delete.title', { title: name }), hint: isDone ? t('releases.deleteDoneHint') : t('releases.deleteHint'), onConfirm: () => remove.mutate() })}>
                {t('action.delete')}
              </Menu.Item>
            </RowMenu>
          )}
        </>
      }
    >
      {problems && <Verdict problems={problems} total={items.length} />}
      {!problems && release.status === 'failed' && <Alert color="red" variant="light" title={t('releases.failedTitle')}>{t('releases.failedHint')}</Alert>}
      {items.length === 0 ? <EmptyState title={t('releases.empty')}>{t('releases.emptyHint')}</EmptyState> : <Items release={release} problems={problems ?? []} />}
      {isScheduling && <ScheduleRelease release={release} onClose={() => setScheduling(false)} />}
      {isNaming && <NameDialog release={release} onClose={() => setNaming(false)} onDone={() => setNaming(false)} />}
    </SettingsPage>
  )
}

/** What trying the release has shown. */
function Verdict({ problems, total }: { problems: ReleaseProblem[]; total: number }) {
  const { t } = useTranslation()
  const failed = new Set(problems.map((problem) => problem.itemId)).size
  return (
    <Alert color={failed ? 'red' : 'green'} variant="light" role="status" title={failed ? t('releases.blocked', { count: failed, total }) : t('releases.isReady')}>
      {failed ? t('releases.blockedHint') : t('releases.readyHint')}
    </Alert>
  )
}

function Items({ release, problems }: { release: ReleaseDetail; problems: ReleaseProblem[] }) {
  const { t } = useTranslation()
  return (
    <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('releases.entries')}>
      <Table className="quire-table quire-release-items" verticalSpacing={8} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('releases.entry')}</Table.Th>
            <Table.Th>{t('releases.type')}</Table.Th>
            <Table.Th>{t('entry.locale')}</Table.Th>
            <Table.Th>{t('entry.status')}</Table.Th>
            <Table.Th>{t('releases.action')}</Table.Th>
            <Table.Th w={50}><VisuallyHidden>{t('list.rowActions')}</VisuallyHidden></Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {release.items.map((item) => <Item key={item.id} release={release} item={item} problems={problems.filter((problem) => problem.itemId === item.id)} />)}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function Item({ release, item, problems }: { release: ReleaseDetail; item: ReleaseItem; problems: ReleaseProblem[] }) {
  const { t } = useTranslation()
  const type = useModel().types.get(item.contentType)
  const locales = useLocales()
  const mayPublish = useMayPublish()
  const nameOf = useFieldName(item.contentType)
  const path = { id: release.id, item: item.id }
  const onError = (error: unknown) => toastError(error)
  const act = useMutation({
    mutationFn: async (action: ItemAction) => (await request('PUT /admin/x/releases/{id}/items/{item}', { path, body: { action } })).data,
    onSuccess: releaseChanged,
    onError,
  })
  const remove = useMutation({
    mutationFn: async () => (await request('DELETE /admin/x/releases/{id}/items/{item}', { path })).data,
    onSuccess: releaseChanged,
    onError,
  })
  const title = titleOf(item, t)
  const mayChange = release.status !== 'done' && (mayPublish || item.publishable)
  const locale = locales.find((one) => one.code === item.locale)?.name ?? item.locale
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={2}>
          <EntryLink item={item} />
          {problems.map((problem) => (
            <Text key={`${problem.path.join('.')} ${problem.message}`} size="xs" c="var(--mantine-color-error)" style={{ overflowWrap: 'anywhere' }}>
              {wordingWithName(problem, nameOf)}
            </Text>
          ))}
        </Stack>
      </Table.Td>
      <Table.Td>{type?.info.displayName ?? item.contentType}</Table.Td>
      <Table.Td>{locale ?? '–'}</Table.Td>
      <Table.Td>{item.status ? <StatusBadge status={item.status} /> : '–'}</Table.Td>
      <Table.Td>
        {mayChange ? (
          <Select
            size="xs"
            w={130}
            allowDeselect={false}
            aria-label={t('releases.actionOf', { title })}
            value={item.action}
            data={[
              { value: 'publish', label: t('action.publish') },
              { value: 'unpublish', label: t('action.unpublish') },
            ]}
            onChange={(action) => action && act.mutate(action as ItemAction)}
          />
        ) : (
          t(`action.${item.action}`)
        )}
      </Table.Td>
      <Table.Td>
        {mayChange && (
          <RowMenu title={title}>
            <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => remove.mutate()}>{t('releases.remove')}</Menu.Item>
          </RowMenu>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
