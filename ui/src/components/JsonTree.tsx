import { Box, Text, UnstyledButton } from '@mantine/core'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'

const OPEN_TO = 3
const MOST_OPEN = 25

/** A JSON value whose lists and objects open and close. What is closed is not drawn. */
export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  const { t } = useTranslation()
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : null
  const [opened, setOpened] = useState(depth < OPEN_TO && (members?.length ?? 0) <= MOST_OPEN)
  const label = name === undefined ? null : <Text span inherit c="dimmed">{name}: </Text>
  if (!members?.length) {
    return <Box fz={12} ff="monospace" pl={16} style={{ overflowWrap: 'anywhere' }}>{label}{JSON.stringify(value)}</Box>
  }
  const Icon = opened ? ChevronDown : ChevronRight
  const size = Array.isArray(value) ? t('explorer.items', { count: members.length }) : t('explorer.members', { count: members.length })
  return (
    <Box fz={12} ff="monospace">
      <UnstyledButton fz={12} ff="monospace" aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <Icon size={12} style={{ marginRight: 4, verticalAlign: -1 }} />
        {label}
        <Text span inherit c="dimmed">{size}</Text>
      </UnstyledButton>
      {opened && (
        <Box pl={14} ml={5} style={{ borderLeft: '1px solid var(--quire-hairline)' }}>
          {members.map(([key, inner]) => <JsonTree key={key} name={key} value={inner} depth={depth + 1} />)}
        </Box>
      )}
    </Box>
  )
}
