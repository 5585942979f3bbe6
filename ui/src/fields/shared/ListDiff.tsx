import { Group, Stack, Text } from '@mantine/core'
import { ArrowRight, Minus, Plus, PencilLine } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ADDED, REMOVED } from './diffs'
import type { ListChange } from './listChanges'

const ICONS = { added: Plus, removed: Minus, moved: ArrowRight, changed: PencilLine }
const COLORS = { added: ADDED, removed: REMOVED, moved: { background: 'var(--mantine-color-default-hover)' }, changed: {}, same: {} }

type Props<Item> = {
  changes: ListChange<Item>[]
  /** An item as it is; or what has changed in it, where both are there. */
  show: (item: Item, before?: Item) => ReactNode
}

/** The items of a list, with what became of each. */
export function ListDiff<Item>({ changes, show }: Props<Item>) {
  const { t } = useTranslation()
  if (changes.length === 0) return <Text size="sm" c="dimmed">{t('diff.empty')}</Text>
  return (
    <Stack gap={3} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {changes.map((change, at) => {
        const { kind } = change
        const Icon = kind === 'same' ? null : ICONS[kind]
        const Mark = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'div'
        return (
          <Group key={at} component="li" gap={6} px={6} py={2} wrap="nowrap" align="flex-start" style={{ borderRadius: 4, ...COLORS[kind] }}>
            <span style={{ width: 14, flexShrink: 0, display: 'inline-flex', paddingTop: 4 }}>
              {Icon && kind !== 'same' && <Icon size={13} role="img" aria-label={t(`diff.${kind}`)} />}
            </span>
            <Text size="sm" component={Mark} style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere', textDecoration: kind === 'removed' ? 'line-through' : 'none' }}>
              {kind === 'added' ? show(change.after) : kind === 'removed' ? show(change.before) : show(change.after, kind === 'changed' ? change.before : undefined)}
            </Text>
          </Group>
        )
      })}
    </Stack>
  )
}
