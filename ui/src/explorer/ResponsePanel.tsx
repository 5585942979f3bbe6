import { Alert, Badge, Box, Button, Code, CopyButton, Group, Paper, Stack, Tabs, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { JsonTree } from '../components/JsonTree'
import { sizeText } from '../media/files'
import { MissingPermission } from './MissingPermission'
import { parsed } from './request'
import { useExplorer } from './store'

/** The response to the request that was sent last. */
export function ResponsePanel({ onResend }: { onResend: () => void }) {
  const { t } = useTranslation()
  const answer = useExplorer((state) => state.answer)
  if (!answer) return null
  const { status, ms, size, text, code, reason } = answer.response
  const json = parsed(text)
  const region = (label: string) => ({ tabIndex: 0, role: 'region', 'aria-label': label, style: { maxHeight: '60vh', overflow: 'auto' } })
  return (
    <Stack gap="sm">
      {(status === 401 || status === 403) && <MissingPermission draft={answer.draft} runAs={answer.runAs} role={answer.role} reason={reason} onGranted={onResend} />}
      {code && (
        <Alert color="red" variant="light" p="xs" title={t('explorer.codeFailed')} style={{ overflowWrap: 'anywhere' }}>
          {t(code.function ? 'computed.failed' : 'computed.failedUnnamed', { ...code })}
        </Alert>
      )}
      <Paper withBorder p="sm" className="quire-surface" component="section" aria-label={t('explorer.response')}>
        <Group justify="space-between" gap="xs" mb="xs">
          <Group gap="xs" role="status">
            <Badge variant="light" tt="none" color={status < 400 ? 'green' : 'red'}>{status}</Badge>
            <Text size="xs">{t('explorer.took', { ms, size: sizeText(size / 1000) })}</Text>
          </Group>
          <CopyButton value={text}>
            {({ copied, copy }) => <Button size="compact-xs" variant="subtle" onClick={copy}>{copied ? t('action.copied') : t('action.copy')}</Button>}
          </CopyButton>
        </Group>
        {text === '' ? (
          <Text size="sm" c="dimmed">{t('explorer.nothing')}</Text>
        ) : (
          <Tabs defaultValue={json === undefined ? 'text' : 'tree'}>
            <Tabs.List>
              {json !== undefined && <Tabs.Tab value="tree" fz="xs">{t('explorer.tree')}</Tabs.Tab>}
              <Tabs.Tab value="text" fz="xs">{t('explorer.text')}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="tree" pt="xs"><Box {...region(t('explorer.tree'))}><JsonTree key={text} value={json} /></Box></Tabs.Panel>
            <Tabs.Panel value="text" pt="xs"><Code block fz={12} {...region(t('explorer.text'))}>{text}</Code></Tabs.Panel>
          </Tabs>
        )}
      </Paper>
    </Stack>
  )
}
