import { ActionIcon, Box, Button, Code, CopyButton, Group, Modal, Paper, Stack, Text, Title, Tooltip } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { Link, useBlocker } from '@tanstack/react-router'
import { ArrowLeft, Check, Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useScreenHotkeys } from '../shell/keyboard'

type PageProps = { title: string; hint?: ReactNode; back?: { to: string; label: string }; actions?: ReactNode; children: ReactNode }

/** The frame of a settings screen. */
export function SettingsPage({ title, hint, back, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Quire`)
  return (
    <Stack p={{ base: 'sm', sm: 'lg' }} gap="md" maw={1080}>
      <Box>
        {back && (
          <Link to={back.to} className="quire-crumb">
            <Group gap={4} component="span" display="inline-flex"><ArrowLeft size={13} /> {back.label}</Group>
          </Link>
        )}
        <Group justify="space-between" gap="xs" mih={30}>
          {/* A long title leaves the actions beside it where there is room. */}
          <Title order={1} maw={actions ? { sm: '62%' } : undefined}>{title}</Title>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {hint && <Text size="sm" c="dimmed" mt={4} maw={680}>{hint}</Text>}
      </Box>
      {children}
    </Stack>
  )
}

/** A part of a form under a heading. */
export function Section({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" className="quire-surface" component="section" aria-label={title}>
      <Title order={2} mb={hint ? 2 : 'sm'}>{title}</Title>
      {hint && <Text size="sm" c="dimmed" mb="sm" component="div">{hint}</Text>}
      {children}
    </Paper>
  )
}

/** The button that saves a form, also by Ctrl S; while there are changes, leaving asks first. */
export function SaveButton({ isDirty, canSave = isDirty, isSaving, onSave, disabledReason }: {
  isDirty: boolean
  /** Whether there is something to save: of something new, also what it begins with. */
  canSave?: boolean
  isSaving: boolean
  onSave: () => void
  disabledReason?: string
}) {
  const { t } = useTranslation()
  const ready = canSave && !isSaving && !disabledReason
  useScreenHotkeys([['mod+S', () => ready && onSave()]], [])
  const blocker = useBlocker({ shouldBlockFn: () => isDirty && !isSaving, withResolver: true, enableBeforeUnload: () => isDirty })
  return (
    <>
      <Tooltip label={disabledReason ?? t('save.nothing')} disabled={ready || isSaving}>
        <Button data-disabled={!ready || undefined} aria-disabled={!ready} loading={isSaving} onClick={() => ready && onSave()}>
          {t('action.save')}
        </Button>
      </Tooltip>
      {blocker.status === 'blocked' && (
        <Modal opened onClose={blocker.reset} title={t('leave.title')} closeButtonProps={{ 'aria-label': t('action.close') }}>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={blocker.proceed}>{t('settings.leave')}</Button>
            <Button onClick={blocker.reset} data-autofocus>{t('leave.stay')}</Button>
          </Group>
        </Modal>
      )}
    </>
  )
}

/** Something to copy, such as a key or an address. */
export function CopyableText({ value, label }: { value: string; label: string }) {
  const { t } = useTranslation()
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <Code block fz="xs" tabIndex={0} aria-label={label} style={{ flex: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{value}</Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? t('action.copied') : t('action.copy')}>
            <ActionIcon variant="default" size={30} aria-label={t('settings.copy', { name: label })} onClick={copy}>
              {copied ? <Check size={14} /> : <Copy size={14} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  )
}

