import { ActionIcon, Anchor, Button, Code, CopyButton, Group, Modal, Paper, ScrollArea, Stack, Tabs, Text, Timeline, Tooltip } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Check, Copy } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { sendContentRequest } from '../../api/content'
import type { Revision } from '../../api/generated'
import { hasDrafts, labelOf, useAbility, useConfiguration } from '../../api/hooks'
import type { ContentType, Creator, Status } from '../../api/types'
import { CodeSamples } from '../../components/CodeSamples'
import { RelativeTime } from '../../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../../components/States'
import { StatusBadge } from '../../components/StatusBadge'
import { toast } from '../../components/toast'
import { FormError } from '../../auth/AuthPage'
import { fieldTypeOf } from '../../fields/registry'
import type { Loaded } from './loading'

type Props = { type: ContentType; loaded: Loaded; locale: string | undefined; reload: () => void }

const nameOf = (person: Creator | null | undefined) =>
  person ? [person.firstname, person.lastname].filter(Boolean).join(' ') || person.email : null

/** Facts of an entry beside its form: when and by whom, what leads to it, what it was. */
export function Inspector({ type, loaded, locale, reload }: Props) {
  const { t } = useTranslation()
  return (
    <Paper withBorder className="quire-surface">
      <Tabs defaultValue="info" keepMounted={false}>
        <Tabs.List grow>
          <Tabs.Tab value="info" fz="xs">{t('inspector.info')}</Tabs.Tab>
          <Tabs.Tab value="history" fz="xs">{t('inspector.history')}</Tabs.Tab>
          <Tabs.Tab value="api" fz="xs">{t('inspector.api')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="info" p="sm"><Info type={type} loaded={loaded} /></Tabs.Panel>
        <Tabs.Panel value="history" p="sm"><History type={type} loaded={loaded} locale={locale} reload={reload} /></Tabs.Panel>
        <Tabs.Panel value="api" p="sm"><ApiPanel type={type} loaded={loaded} locale={locale} /></Tabs.Panel>
      </Tabs>
    </Paper>
  )
}

type Referring = { uid: string; attribute: string; count: number; entries: { documentId: string; locale: string | null; title: string | null }[] }

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <Text size="xs" c="dimmed" style={{ flexShrink: 0 }} component="dt">{label}</Text>
      <Text size="xs" ta="right" component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>{children}</Text>
    </Group>
  )
}

function Info({ type, loaded }: Pick<Props, 'type' | 'loaded'>) {
  const { t } = useTranslation()
  const { entry, documentId } = loaded
  const references = useQuery({
    queryKey: ['references', type.uid, documentId, entry?.updatedAt],
    enabled: documentId !== null,
    queryFn: async () =>
      (await request('GET /admin/x/references/{uid}/{id}', { path: { uid: type.uid, id: documentId! } })).data as unknown as Referring[],
  })
  const total = references.data?.reduce((sum, group) => sum + group.count, 0) ?? 0
  if (!entry) return null
  return (
    <Stack gap={8}>
      <Stack gap={8} component="dl" m={0}>
        {entry.createdAt && <Fact label={t('inspector.created')}><RelativeTime at={entry.createdAt} />{nameOf(entry.createdBy) && <><br />{nameOf(entry.createdBy)}</>}</Fact>}
        {entry.updatedAt && <Fact label={t('inspector.updated')}><RelativeTime at={entry.updatedAt} />{nameOf(entry.updatedBy) && <><br />{nameOf(entry.updatedBy)}</>}</Fact>}
        <Fact label={t('inspector.documentId')}>
          <Group gap={2} wrap="nowrap" component="span">
            <Code fz={10}>{documentId}</Code>
            <CopyButton value={documentId ?? ''}>
              {({ copied, copy }) => (
                <Tooltip label={copied ? t('action.copied') : t('action.copy')}>
                  <ActionIcon size="xs" aria-label={t('inspector.copyId')} onClick={copy}>{copied ? <Check size={12} /> : <Copy size={12} />}</ActionIcon>
                </Tooltip>
              )}
            </CopyButton>
          </Group>
        </Fact>
        <Fact label={t('inspector.entryId')}>{entry.id}</Fact>
      </Stack>
      {references.data && (
        <>
          <Text size="xs" fw={600} mt={4}>{t('inspector.references', { count: total })}</Text>
          <ScrollArea.Autosize mah={180} viewportProps={total > 6 ? { tabIndex: 0, role: 'region', 'aria-label': t('inspector.references', { count: total }) } : {}}>
            {references.data.flatMap((group) =>
              group.entries.map((one, index) => (
                <Text key={`${group.uid} ${group.attribute} ${index}`} size="xs" className="quire-ellipsis">
                  <Anchor size="xs" href={`/admin/content/${group.uid}/${one.documentId}${one.locale ? `?locale=${one.locale}` : ''}`}>{one.title || one.documentId}</Anchor>
                  {one.locale && <Text span size="xs" c="dimmed"> {one.locale}</Text>}
                </Text>
              )),
            )}
          </ScrollArea.Autosize>
        </>
      )}
    </Stack>
  )
}

function History({ type, loaded, locale, reload }: Props) {
  const { t } = useTranslation()
  const { documentId, entry } = loaded
  const [shown, setShown] = useState<Revision | null>(null)
  const revisions = useQuery({
    queryKey: ['history', type.uid, documentId, locale, entry?.updatedAt],
    enabled: documentId !== null,
    queryFn: async () =>
      (await request('GET /admin/x/revisions/{uid}/{id}', { path: { uid: type.uid, id: documentId! }, query: { locale } })).data,
  })
  if (revisions.error) return <ErrorState error={revisions.error} retry={() => void revisions.refetch()} />
  if (!revisions.data) return <Loading rows={3} />
  if (revisions.data.length === 0) return <EmptyState title={t('history.none')}>{t('history.noneHint')}</EmptyState>
  return (
    <ScrollArea.Autosize mah={420} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t('inspector.history') }}>
      <Timeline bulletSize={10} lineWidth={1} active={-1}>
        {revisions.data.map((revision) => (
          <Timeline.Item key={revision.id}>
            <Group gap={6}>
              <RelativeTime at={revision.createdAt} size="xs" fw={500} />
              {hasDrafts(type) && <StatusBadge status={revision.status as Status} />}
            </Group>
            <Text size="xs" c="dimmed">{nameOf(revision.createdBy as Creator | null) ?? t('history.unknown')}</Text>
            <Button size="compact-xs" variant="subtle" px={4} onClick={() => setShown(revision)}>{t('history.compare')}</Button>
          </Timeline.Item>
        ))}
      </Timeline>
      {shown && documentId && <RevisionDialog type={type} documentId={documentId} locale={locale} revision={shown} onClose={() => setShown(null)} onRestored={reload} />}
    </ScrollArea.Autosize>
  )
}

type RevisionProps = { type: ContentType; documentId: string; locale: string | undefined; revision: Revision; onClose: () => void; onRestored: () => void }

/** What an entry was like once, against its draft now, and a way back. */
function RevisionDialog({ type, documentId, locale, revision, onClose, onRestored }: RevisionProps) {
  const { t } = useTranslation()
  const ability = useAbility()
  const view = useConfiguration(type.uid).contentType
  const path = { uid: type.uid, id: documentId, revision: revision.id }
  const detail = useQuery({
    queryKey: ['history', type.uid, documentId, 'revision', revision.id],
    gcTime: 0,
    queryFn: async () =>
      (await request('GET /admin/x/revisions/{uid}/{id}/{revision}', { path, query: { locale } })).data as unknown as {
        fields: Record<string, Record<string, unknown>>
      },
  })
  const restore = useMutation({
    mutationFn: () => request('POST /admin/x/revisions/{uid}/{id}/{revision}/restore', { path, query: { locale }, body: {} as never }),
    onSuccess: () => {
      toast(t('history.restored'))
      onClose()
      onRestored()
    },
  })
  const fields = Object.entries(detail.data?.fields ?? {})
  return (
    <Modal opened onClose={onClose} title={t('history.title')} size="xl" closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack>
        <Text size="sm" c="dimmed">
          <RelativeTime at={revision.createdAt} /> · {nameOf(revision.createdBy as Creator | null) ?? t('history.unknown')}. {t('history.legend')}
        </Text>
        {detail.error && <ErrorState error={detail.error} />}
        {!detail.data && !detail.error && <Loading rows={3} />}
        {detail.data && fields.length === 0 && <EmptyState title={t('history.same')} />}
        {fields.map(([name, change]) => {
          const attribute = type.attributes[name]
          if (!attribute) return null
          const { Diff } = fieldTypeOf(attribute)
          return (
            <div key={name}>
              <Text size="sm" fw={600} mb={2}>{labelOf(view, name)}</Text>
              <Diff before={change.draft} after={change.revision} attribute={attribute} />
            </div>
          )
        })}
        <FormError error={restore.error} />
        {ability.canContent('update', type.uid, locale) && fields.length > 0 && (
          <Group justify="flex-end">
            <Button loading={restore.isPending} onClick={() => restore.mutate()}>{t('history.restore')}</Button>
          </Group>
        )}
      </Stack>
    </Modal>
  )
}

/** How programs read the entry. */
function ApiPanel({ type, loaded, locale }: Omit<Props, 'reload'>) {
  const { t } = useTranslation()
  const isSingle = type.kind === 'singleType'
  const name = isSingle ? type.info.singularName : type.info.pluralName
  const parameters = [locale ? `locale=${locale}` : '', 'populate=*'].filter(Boolean).join('&')
  const address = `${location.origin}/api/${name}${isSingle ? '' : `/${loaded.documentId}`}?${parameters}`
  const live = useMutation({ mutationFn: () => sendContentRequest({ method: 'GET', address }) })
  const samples = {
    curl: `curl -g '${address}'`,
    javascript: `const response = await fetch('${address}')\nconst { data } = await response.json()`,
    python: `import httpx\n\ndata = httpx.get('${address}').json()['data']`,
  }
  return (
    <Stack gap="xs">
      <CodeSamples samples={samples} />
      <Text size="xs" c="dimmed">{t('api.hint')}</Text>
      <Button variant="default" loading={live.isPending} onClick={() => live.mutate()}>{t('api.send')}</Button>
      {live.error && <Text size="xs" c="var(--mantine-color-error)" role="alert">{live.error.message}</Text>}
      {live.data && (
        <>
          <Text size="xs" role="status">{t('api.result', { status: live.data.status, ms: live.data.ms, size: live.data.size })}</Text>
          <Code block fz={11} tabIndex={0} style={{ maxHeight: 320, overflow: 'auto' }}>{live.data.text}</Code>
        </>
      )}
    </Stack>
  )
}
