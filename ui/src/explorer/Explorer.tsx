import { Badge, Button, Code, CopyButton, Grid, Group, Paper, Stack, Text, Title, Tooltip } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useAbility, useModel } from '../api/hooks'
import type { ContentType } from '../api/types'
import { CodeSamples } from '../components/CodeSamples'
import { confirmFirst } from '../components/confirm'
import { EmptyState } from '../components/States'
import { messageOf } from '../components/errors'
import { BUILD } from '../model/permission'
import { explorerRoute } from '../router'
import { useScreenHotkeys } from '../shell/keyboard'
import { ResponsePanel } from './ResponsePanel'
import { RunAsControl } from './RunAsControl'
import { RequestMenus } from './RequestMenus'
import { QueryForm } from './QueryForm'
import { emptyDraft, type Draft } from './request'
import { samplesOf } from './samples'
import { useExplorer, useStoredRequests } from './store'
import { useContentRequest } from './useContentRequest'

/** Requests to the content API, made with controls that know the model. */
export function Explorer() {
  const { t } = useTranslation()
  useDocumentTitle(`${t('nav.explorer')} · Quire`)
  const { displayed } = useModel()
  const ability = useAbility()
  const { type: asked } = explorerRoute.useSearch()
  const kept = useExplorer((state) => state.draft)
  const types = displayed.filter((type) => type.uid.startsWith('api::') && ability.canContent('read', type.uid))
  const find = (uid: string | undefined) => types.find((type) => type.uid === uid)
  const type = find(asked) ?? find(kept?.uid) ?? types[0]
  if (!type) {
    return <Stack p={{ base: 'sm', sm: 'lg' }}><Title order={1}>{t('nav.explorer')}</Title><EmptyState title={t('explorer.noTypes')} action={ability.can(BUILD) && <Button component={Link} to="/model">{t('nav.model')}</Button>} /></Stack>
  }
  return <Workbench types={types} type={type} draft={kept?.uid === type.uid ? kept : emptyDraft(type.uid)} />
}

function Workbench({ types, type, draft }: { types: ContentType[]; type: ContentType; draft: Draft }) {
  const { t } = useTranslation()
  const navigate = explorerRoute.useNavigate()
  const runAs = useExplorer((state) => state.runAs)
  const kept = useStoredRequests()
  const { request, problem, send: sendRequest } = useContentRequest(type, draft)
  const run = useMutation({
    mutationFn: sendRequest,
    onMutate: () => useExplorer.setState({ answer: null }),
    onSuccess: ({ response, role }) => {
      useExplorer.setState({ answer: { draft, runAs, role, response } })
      kept.note({ draft, status: response.status })
    },
  })
  const send = () => {
    if (problem || run.isPending) return
    if (draft.action !== 'delete') return run.mutate()
    confirmFirst({ title: t('explorer.deleteFirst'), hint: t('explorer.deleteHint'), onConfirm: () => run.mutate() })
  }
  useScreenHotkeys([['mod+Enter', send]], [])
  const edit = (next: Draft) => {
    useExplorer.setState({ draft: next })
    if (next.uid !== type.uid) void navigate({ search: { type: next.uid }, replace: true })
  }
  const open = (next: Draft) => {
    useExplorer.setState({ answer: null })
    edit(next)
  }
  return (
    <Stack p={{ base: 'sm', sm: 'lg' }} gap="md">
      <Group justify="space-between" gap="xs">
        <Title order={1}>{t('nav.explorer')}</Title>
        <RequestMenus kept={kept} draft={draft} onOpen={open} />
      </Group>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
          <Paper withBorder p="md" className="quire-surface" component="section" aria-label={t('explorer.request')}>
            <Stack gap="sm">
              <QueryForm types={types} type={type} draft={draft} onChange={edit} />
              <RunAsControl />
            </Stack>
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
          <Stack gap="md">
            <Paper withBorder p="sm" className="quire-surface" component="section" aria-label={t('explorer.address')}>
              <Group gap="xs" wrap="nowrap" align="flex-start">
                <Badge variant="light" tt="none" radius="sm" mt={6} style={{ flexShrink: 0 }}>{request.method}</Badge>
                <Code fz={12} p={6} style={{ flex: 1, overflowWrap: 'anywhere', background: 'none' }}>{decoded(request.address)}</Code>
                <CopyButton value={request.address}>
                  {({ copied, copy }) => <Button variant="default" style={{ flexShrink: 0 }} visibleFrom="xs" onClick={copy}>{copied ? t('action.copied') : t('explorer.copyAddress')}</Button>}
                </CopyButton>
                <Tooltip label={problem ? t(`explorer.problem.${problem}`) : ''} disabled={!problem}>
                  <Button leftSection={<Send size={14} />} style={{ flexShrink: 0 }} data-disabled={problem !== null || undefined} aria-disabled={problem !== null} loading={run.isPending} onClick={send}>{t('explorer.send')}</Button>
                </Tooltip>
              </Group>
            </Paper>
            {run.error && <Text size="sm" c="var(--mantine-color-error)" role="alert">{messageOf(run.error)}</Text>}
            <ResponsePanel onResend={() => run.mutate()} />
            <Paper withBorder p="sm" className="quire-surface" component="section" aria-label={t('explorer.code')}>
              <Title order={2} mb="xs">{t('explorer.code')}</Title>
              <CodeSamples samples={samplesOf(type, draft, request)} />
            </Paper>
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

function decoded(address: string): string {
  try {
    return decodeURI(address).replaceAll('%24', '$').replaceAll('%3A', ':')
  } catch {
    return address
  }
}
