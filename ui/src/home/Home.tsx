import { Anchor, Badge, Button, CloseButton, Code, Group, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import { useDocumentTitle, useLocalStorage } from '@mantine/hooks'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { RecentEntry } from '../api/generated'
import { useAbility, useHome, useMe, useModel } from '../api/hooks'
import type { ContentType, Status } from '../api/types'
import { FailedRules } from '../components/FailedRules'
import { RelativeTime } from '../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../components/States'
import { StatusBadge } from '../components/StatusBadge'
import { formatNumber } from '../i18n'
import { BUILD } from '../model/permission'

export function Home() {
  const { t } = useTranslation()
  useDocumentTitle(`${t('nav.home')} · Quire`)
  const me = useMe()
  const home = useHome()
  const { displayed } = useModel()
  const ability = useAbility()
  const creatable = displayed.filter(
    (type) => type.kind === 'collectionType' && type.uid.startsWith('api::') && ability.canContent('create', type.uid),
  )
  if (home.error && !home.data) return <Stack p={{ base: 'sm', sm: 'lg' }}><Title order={1}>{t('nav.home')}</Title><ErrorState error={home.error} retry={() => void home.refetch()} /></Stack>
  const documents = home.data?.documents
  return (
    <Stack p={{ base: 'sm', sm: 'lg' }} gap="lg" maw={1200}>
      <Group justify="space-between" mih={30}>
        <Title order={1}>{me.firstname ? t('home.hello', { name: me.firstname }) : t('nav.home')}</Title>
        <Group gap="xs">
          {creatable.slice(0, 4).map((type) => (
            <Button
              key={type.uid}
              variant="default"
              leftSection={<Plus size={14} />}
              component={Link}
              to={`/content/${type.uid}/create`}
            >
              {type.info.displayName}
            </Button>
          ))}
        </Group>
      </Group>
      <FirstSteps hasTypes={displayed.some((type) => type.uid.startsWith('api::'))} />
      {!home.data && (
        <>
          <Loading rows={3} height={79} className="quire-thirds" />
          <Loading rows={2} height={244} className="quire-halves" />
        </>
      )}
      {home.data && documents && (
        <>
          <FailedRules rules={home.data.failedRules} />
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
            {(['draft', 'modified', 'published'] as const).map((status) => (
              <Paper key={status} withBorder p="sm" className="quire-surface">
                <Group justify="space-between">
                  <Text fz={24} fw={600}>{formatNumber(documents[status])}</Text>
                  <StatusBadge status={status} />
                </Group>
                <Text size="xs" c="dimmed">{t(`home.count.${status}`)}</Text>
              </Paper>
            ))}
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Recent title={t('home.edited')} entries={home.data.edited} at="updatedAt" />
            <Recent title={t('home.published')} entries={home.data.published} at="publishedAt" />
          </SimpleGrid>
          {home.data.failingWebhooks && home.data.failingWebhooks.length > 0 && (
            <Paper withBorder p="sm" className="quire-surface">
              <Title order={2} mb="xs">{t('home.webhooks')}</Title>
              <Stack gap={6}>
                {home.data.failingWebhooks.map((webhook) => (
                  <Group key={webhook.id} gap="xs">
                    <Badge color="red" variant="light" tt="none">{t('home.failed', { count: webhook.count })}</Badge>
                    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/settings/webhooks/$id" params={{ id: String(webhook.id) }} />}>{webhook.name}</Anchor>
                  </Group>
                ))}
              </Stack>
            </Paper>
          )}
        </>
      )}
    </Stack>
  )
}

function Recent({ title, entries, at }: { title: string; entries: RecentEntry[]; at: 'updatedAt' | 'publishedAt' }) {
  const { t } = useTranslation()
  return (
    <Paper withBorder className="quire-surface" component="section" aria-label={title}>
      <Title order={2} p="sm" pb={entries.length ? 4 : 'sm'}>{title}</Title>
      {entries.length === 0 && <EmptyState title={t('home.nothing')} />}
      {entries.length > 0 && (
        <Table className="quire-table" layout="fixed" verticalSpacing={7} highlightOnHover>
          <Table.Tbody>
            {entries.map((entry) => (
              <Table.Tr key={`${entry.contentTypeUid} ${entry.documentId} ${entry.locale}`}>
                <Table.Td pl="sm" className="quire-ellipsis">
                  <Link
                    className="quire-title-link"
                    to={entry.kind === 'singleType' ? '/content/$uid' : '/content/$uid/$documentId'}
                    params={{ uid: entry.contentTypeUid, documentId: entry.documentId }}
                    search={entry.locale ? { locale: entry.locale } : {}}
                  >
                    <bdi>{String(entry.title ?? '') || t('entry.untitled')}</bdi>
                  </Link>
                  <Text size="xs" c="dimmed">
                    {entry.contentTypeDisplayName}
                    {entry.locale ? ` · ${entry.locale}` : ''}
                  </Text>
                </Table.Td>
                <Table.Td w={92}>{entry.status && <StatusBadge status={entry.status as Status} />}</Table.Td>
                <Table.Td w={126} ta="right" pr="sm" className="quire-wide">
                  {entry[at] && <RelativeTime at={entry[at]} size="xs" c="dimmed" />}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  )
}

/** What to do first, until somebody closes it for good. */
function FirstSteps({ hasTypes }: { hasTypes: boolean }) {
  const { t } = useTranslation()
  const { displayed } = useModel()
  const ability = useAbility()
  const navigate = useNavigate()
  const [closed, setClosed] = useLocalStorage({ key: 'quire-admin-first-steps', defaultValue: false, getInitialValueInEffect: false })
  const home = useHome()
  const hasEntries = (home.data?.types ?? []).some((type) => type.uid.startsWith('api::') && type.count > 0)
  if (closed || !home.data || hasEntries) return null
  const mayModel = ability.can(BUILD)
  const first = displayed.find((type) => type.uid.startsWith('api::') && ability.canContent('create', type.uid))
  // Those who can only wait for others to take these steps are shown none.
  if (!first && !mayModel) return null
  const steps = [
    {
      done: hasTypes,
      title: t('first.type'),
      hint: t('first.typeHint'),
      action: !hasTypes && mayModel && (
        <Button onClick={() => void navigate({ to: '/model', search: { new: 'collectionType' } })}>{t('model.new.collectionType')}</Button>
      ),
    },
    {
      done: hasEntries,
      title: t('first.entry'),
      hint: t('first.entryHint'),
      action: first && (
        <Button component={Link} to={first.kind === 'collectionType' ? `/content/${first.uid}/create` : `/content/${first.uid}`}>{t('model.createEntry')}</Button>
      ),
    },
    {
      done: false,
      title: t('first.api'),
      hint: <Code>curl {location.origin}{first ? apiAddress(first) : '/api/…'}</Code>,
      action: first && <Button variant="default" component={Link} to={`/explorer?type=${first.uid}`}>{t('first.apiOpen')}</Button>,
    },
  ]
  return (
    <Paper withBorder p="md" className="quire-surface">
      <Group justify="space-between" mb="sm">
        <Title order={2}>{t('first.title')}</Title>
        <CloseButton size="sm" aria-label={t('action.close')} onClick={() => setClosed(true)} />
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {steps.map((step, index) => (
          <Stack key={index} gap={4}>
            <Text size="sm" fw={600}>{step.done ? '✓' : `${index + 1}.`} {step.title}</Text>
            <Text size="sm" c="dimmed" component="div">{step.hint}</Text>
            {step.action && <Group mt={4}>{step.action}</Group>}
          </Stack>
        ))}
      </SimpleGrid>
    </Paper>
  )
}

const apiAddress = (type: ContentType) => `/api/${type.kind === 'singleType' ? type.info.singularName : type.info.pluralName}`
