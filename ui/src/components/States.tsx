import { Box, Button, Code, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { RotateCw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { explain, messageOf } from './errors'

/** What went wrong and what to do about it, with the id under which the server's log has it. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useTranslation()
  const { title, hint, facts, requestId, remedy } = explain(error)
  return (
    <Paper withBorder p="lg" className="quire-surface" w="100%" maw={560} role="alert">
      <Stack gap="xs" align="flex-start">
        <Title order={2}>{title}</Title>
        <Text size="sm">{hint}</Text>
        {facts.length > 0 && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {facts.join(' · ')}
            {requestId && (
              <>
                {' · '}
                {t('error.requestId')} <Code fz="xs">{requestId}</Code>
              </>
            )}
          </Text>
        )}
        {remedy === 'retry' && retry && (
          <Button variant="default" mt="xs" leftSection={<RotateCw size={14} />} onClick={retry}>
            {t('action.retry')}
          </Button>
        )}
        {remedy === 'reload' && (
          <Button variant="default" mt="xs" leftSection={<RotateCw size={14} />} onClick={() => location.reload()}>
            {t('error.reload')}
          </Button>
        )}
        {remedy === 'signIn' && (
          <Button mt="xs" component="a" href={`/admin/login?to=${encodeURIComponent(location.pathname.replace(/^\/admin/, '') + location.search)}`}>
            {t('auth.signIn')}
          </Button>
        )}
      </Stack>
    </Paper>
  )
}

/** What went wrong in a small part of a screen, where the rest is of use without it. */
export function RetryLine({ error, retry }: { error: unknown; retry: () => void }) {
  const { t } = useTranslation()
  return (
    <Group gap="xs" role="alert">
      <Text size="xs" c="var(--mantine-color-error)">{messageOf(error)}</Text>
      <Button size="compact-xs" variant="default" leftSection={<RotateCw size={12} />} onClick={retry}>{t('action.retry')}</Button>
    </Group>
  )
}

/** What a role may not see: which permission is missing, and who can grant it. */
export function NoPermission({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Paper withBorder p="lg" className="quire-surface" maw={560} role="alert">
      <Stack gap="xs">
        <Title order={2}>{t('error.forbidden')}</Title>
        <Text size="sm">{children} {t('error.whoGrants')}</Text>
      </Stack>
    </Paper>
  )
}

/** A screen that a role may not open, with the permission that it lacks. */
export function MissingScreenPermission({ screen, permission }: { screen: string; permission: string }) {
  return (
    <NoPermission>
      <Trans i18nKey="error.lacksPermission" values={{ screen, permission }} components={{ code: <Code p={0} bg="transparent" style={{ whiteSpace: 'nowrap' }} /> }} />
    </NoPermission>
  )
}

export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap={6} py={56} px="md" ta="center">
      <Text fw={600}>{title}</Text>
      {children && (
        <Text size="sm" c="dimmed" maw={420} component="div">
          {children}
        </Text>
      )}
      {action && <Group mt="sm">{action}</Group>}
    </Stack>
  )
}

/** Rows in the shape of what is loading; nothing at all for what comes at once. */
export function Loading({ rows = 6, height = 34, className }: { rows?: number; height?: number; className?: string }) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(false)
  useTimeout(() => setShown(true), 150, { autoInvoke: true })
  if (!shown) return null
  return (
    <Box className={className ?? 'quire-rows'} aria-busy="true" role="status" aria-label={t('state.loading')}>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} radius={6} />
      ))}
    </Box>
  )
}
