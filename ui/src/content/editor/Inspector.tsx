import { ActionIcon, Anchor, Box, Button, Code, CopyButton, Group, Paper, ScrollArea, Stack, Tabs, Text, Timeline, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Copy } from 'lucide-react'
import { lazy, Suspense, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { hasDrafts, useAbility, useModel } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import { RelativeTime } from '../../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../../components/States'
import { StatusBadge } from '../../components/StatusBadge'
import { ReviewBox } from '../../review/ReviewBox'
import { revisionsQuery } from '../compare/revisions'
import { revisionName } from '../compare/versions'
import { MissingComputedFields } from '../ComputedErrors'
import { useFieldName } from '../fieldNames'
import { loadEntry, type Loaded } from './loading'
import { nameOf } from './people'

// It has the code samples of the API explorer, which few look at.
const ApiPanel = lazy(() => import('./ApiPanel'))

export type Props = { type: ContentType; loaded: Loaded; locale: string | undefined; compare: (name: string) => void }

/** Facts of an entry beside its form: when and by whom, what leads to it, what it was. */
export function Inspector({ type, loaded, locale, compare }: Props) {
  const { t } = useTranslation()
  const mayUpdate = useAbility().canContent('update', type.uid, locale)
  return (
    <Stack gap="sm">
      {hasDrafts(type) && loaded.entry && loaded.documentId && <ReviewBox uid={type.uid} documentId={loaded.documentId} locale={locale} mayUpdate={mayUpdate} />}
      <Paper withBorder className="quire-surface">
        <Tabs defaultValue="info" keepMounted={false}>
          <Tabs.List grow>
            <Tabs.Tab value="info" fz="xs">{t('inspector.info')}</Tabs.Tab>
            <Tabs.Tab value="history" fz="xs">{t('inspector.history')}</Tabs.Tab>
            <Tabs.Tab value="api" fz="xs">{t('inspector.api')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="info" p="sm"><Info type={type} loaded={loaded} locale={locale} /></Tabs.Panel>
          <Tabs.Panel value="history" p="sm"><History type={type} loaded={loaded} locale={locale} compare={compare} /></Tabs.Panel>
          <Tabs.Panel value="api" p="sm"><Suspense fallback={<Loading rows={4} />}><ApiPanel type={type} loaded={loaded} locale={locale} /></Suspense></Tabs.Panel>
        </Tabs>
      </Paper>
    </Stack>
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

/** The fields that code of the project computes, of the entry as it is saved. */
function Computed({ type, loaded, locale }: Omit<Props, 'compare'>) {
  const { t } = useTranslation()
  const { entry, documentId, computed } = loaded
  const at = entry?.updatedAt ?? null
  const fields = useQuery({
    queryKey: ['computed', type.uid, documentId, locale, at],
    enabled: computed !== undefined && entry !== null,
    initialData: computed?.at === at ? computed : undefined,
    staleTime: Infinity,
    queryFn: async () => {
      const single = type.kind === 'singleType'
      const reloaded = await loadEntry(type, single ? null : documentId, locale)
      return reloaded.computed ?? null
    },
  })
  const values = Object.entries(fields.data?.values ?? {})
  const errors = fields.data?.errors
  if (values.length === 0 && !errors) return null
  return (
    <Box component="section" aria-label={t('inspector.computed')}>
      <Text size="xs" fw={600} mt={4} mb={4}>{t('inspector.computed')}</Text>
      <Stack gap={8} component="dl" m={0}>
        {values.map(([name, value]) => (
          <Fact key={name} label={name}>{typeof value === 'string' ? value : JSON.stringify(value)}</Fact>
        ))}
      </Stack>
      <MissingComputedFields errors={errors} />
    </Box>
  )
}

function Info({ type, loaded, locale }: Omit<Props, 'compare'>) {
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
            <Code fz={10} px={2}>{documentId}</Code>
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
      <Computed type={type} loaded={loaded} locale={locale} />
      {references.error && <ErrorState error={references.error} retry={() => void references.refetch()} />}
      {references.data && (
        <Box component="section" aria-label={t('inspector.references', { count: total })}>
          <Text size="xs" fw={600} mt={4}>{t('inspector.references', { count: total })}</Text>
          <ScrollArea.Autosize mah={180} scrollbars="y" viewportProps={total > 6 ? { tabIndex: 0, role: 'region', 'aria-label': t('inspector.references', { count: total }) } : {}}>
            {references.data.map((group) => <References key={`${group.uid} ${group.attribute}`} {...group} />)}
          </ScrollArea.Autosize>
        </Box>
      )}
    </Stack>
  )
}

/** The entries that lead here by one field. */
function References({ uid, attribute, count, entries }: Referring) {
  const { t } = useTranslation()
  const type = useModel().types.get(uid)
  const fieldName = useFieldName(uid)
  const kind = type?.kind === 'singleType' ? '/content/$uid' : '/content/$uid/$documentId'
  return (
    <Box mt={4}>
      <Text size="xs" c="dimmed" className="quire-ellipsis">{type?.info.displayName ?? uid} · {fieldName([attribute])}</Text>
      {entries.map((one) => (
        <Text key={`${one.documentId} ${one.locale}`} size="xs" className="quire-ellipsis">
          <Anchor size="xs" component={Link} to={kind} params={{ uid, documentId: one.documentId } as never} search={(one.locale ? { locale: one.locale } : {}) as never}><bdi>{one.title || one.documentId}</bdi></Anchor>
          {one.locale && <Text span size="xs" c="dimmed"> {one.locale}</Text>}
        </Text>
      ))}
      {count > entries.length && <Text size="xs" c="dimmed">{t('bulk.more', { count: count - entries.length })}</Text>}
    </Box>
  )
}

function History({ type, loaded, locale, compare }: Props) {
  const { t } = useTranslation()
  const { documentId, entry } = loaded
  const revisions = useQuery({ ...revisionsQuery(type.uid, documentId ?? '', locale, entry?.updatedAt), enabled: documentId !== null })
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
              {hasDrafts(type) && <StatusBadge status={revision.status} />}
            </Group>
            <Text size="xs" c="dimmed">{nameOf(revision.createdBy) ?? t('history.unknown')}</Text>
            <Button size="compact-xs" variant="subtle" px={4} onClick={() => compare(revisionName(revision.id))}>{t('history.compare')}</Button>
          </Timeline.Item>
        ))}
      </Timeline>
    </ScrollArea.Autosize>
  )
}
