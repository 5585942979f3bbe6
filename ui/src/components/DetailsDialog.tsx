import { Code, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

/** A row of a log in full: its facts, what it carries as JSON, and what can be done with it. */
export function DetailsDialog({ title, facts, json, actions, onClose }: {
  title: string
  facts: (readonly [label: string, value: ReactNode])[]
  json?: unknown
  actions?: ReactNode
  onClose: () => void
}) {
  const { t } = useTranslation()
  return (
    <Modal opened onClose={onClose} size="lg" title={title} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack gap="xs">
        {facts.map(([label, value]) => (
          <Group key={label} justify="space-between" wrap="nowrap" align="flex-start">
            <Text size="sm" c="dimmed">{label}</Text>
            <Text size="sm" ta="right" component="div" style={{ overflowWrap: 'anywhere' }}>{value}</Text>
          </Group>
        ))}
        {Boolean(json) && <Code block fz="xs" tabIndex={0} style={{ maxHeight: 360, overflow: 'auto' }}>{JSON.stringify(json, null, 2)}</Code>}
        {actions && <Group justify="flex-end" mt="xs">{actions}</Group>}
      </Stack>
    </Modal>
  )
}
