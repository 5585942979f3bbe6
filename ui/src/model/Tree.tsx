import { ActionIcon, Badge, Box, Group, NavLink, ScrollArea, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { Archive, Network, Plus, Search } from 'lucide-react'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { byName, type DraftModel } from './draft'
import { NewModelDialog, type NewKind } from './NewModelDialog'
import { useBuilder, useChanges, useDraft } from './store'

/** Collections, singles and components by category, with how many changes each has pending. */
export function Tree({ current, locked, onPick }: { current?: string; locked: boolean; onPick?: () => void }) {
  const { t } = useTranslation()
  const schema = useDraft()
  const changes = useChanges()
  const navigate = useNavigate()
  const [filter, setFilter] = useState('')
  const [making, setMaking] = useState<{ kind: NewKind; category?: string } | null>(null)
  const words = filter.trim().toLowerCase()
  const models = Object.values(schema)
    .filter((model) => `${model.info.displayName} ${model.uid}`.toLowerCase().includes(words))
    .sort(byName)
  const categories = [...new Set(models.filter((model) => model.isComponent).map((model) => model.category))].sort()

  const item = (model: DraftModel) => (
    <Item
      key={model.id}
      uid={model.uid}
      name={model.info.displayName}
      isCurrent={current === model.uid}
      count={changes.filter((change) => change.modelId === model.id).length}
      onPick={onPick}
    />
  )
  const group = (kind: NewKind, children: React.ReactNode, empty: boolean) => (
    <Box role="group" aria-label={t(`model.tree.${kind}`)}>
      <Group justify="space-between" px={10} h={28} wrap="nowrap">
        <Text size="xs" fw={500} c="dimmed">{t(`model.tree.${kind}`)}</Text>
        {!locked && (
          <Tooltip label={t(`model.new.${kind}`)}>
            <ActionIcon size="sm" color="brand" aria-label={t(`model.new.${kind}`)} onClick={() => setMaking({ kind })}>
              <Plus size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
      {children}
      {empty && <Text size="xs" c="dimmed" px={10} pb={4}>{t(words ? 'model.tree.noMatch' : 'model.tree.none')}</Text>}
    </Box>
  )
  const types = (kind: 'collectionType' | 'singleType') => models.filter((model) => !model.isComponent && model.kind === kind)
  const tool = (to: '/model/diagram' | '/model/archive', label: string, icon: React.ReactNode) => (
    <NavLink
      className="quire-nav"
      component={Link}
      to={to}
      label={label}
      leftSection={icon}
      active={current === to}
      onClick={onPick}
      py={5}
      px={10}
      styles={{ root: { borderRadius: 6 }, label: { fontSize: 13 } }}
    />
  )
  return (
    <Stack gap="xs" p="xs" h="100%" component="nav" aria-label={t('nav.model')} style={{ minHeight: 0 }}>
      <TextInput
        size="xs"
        leftSection={<Search size={13} />}
        placeholder={t('model.tree.filter')}
        aria-label={t('model.tree.filter')}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <ScrollArea style={{ flex: 1 }} type="auto" offsetScrollbars="present" viewportProps={{ tabIndex: -1 }}>
        <Stack gap="xs">
          {(['collectionType', 'singleType'] as const).map((kind) => (
            <Box key={kind}>{group(kind, types(kind).map(item), types(kind).length === 0)}</Box>
          ))}
          {group(
            'component',
            categories.map((category) => (
              <Box key={category}>
                <Text size="xs" c="dimmed" px={10} pt={4}>{category}</Text>
                {models.filter((model) => model.isComponent && model.category === category).map(item)}
              </Box>
            )),
            categories.length === 0,
          )}
        </Stack>
      </ScrollArea>
      <div>
        {tool('/model/diagram', t('model.diagram'), <Network size={14} />)}
        {tool('/model/archive', t('model.archive'), <Archive size={14} />)}
      </div>
      <NewModelDialog
        kind={making?.kind ?? null}
        category={making?.category}
        onClose={() => setMaking(null)}
        onMade={(made) => {
          useBuilder.getState().select(null)
          onPick?.()
          void navigate({ to: '/model/$uid', params: { uid: made.uid } })
        }}
      />
    </Stack>
  )
}

type ItemProps = { uid: string; name: string; isCurrent: boolean; count: number; onPick?: () => void }

/** A link to a type. It is rendered again only when it looks different: the tree follows every key in a name. */
const Item = memo(function Item({ uid, name, isCurrent, count, onPick }: ItemProps) {
  const { t } = useTranslation()
  return (
    <NavLink
      className="quire-nav"
      component={Link}
      to={`/model/${uid}`}
      label={name}
      active={isCurrent}
      onClick={onPick}
      rightSection={
        count > 0 ? <Badge size="sm" circle={count < 10} variant="light" color="violet" aria-label={t('model.changes', { count })}>{count}</Badge> : undefined
      }
      py={5}
      px={10}
      styles={{ root: { borderRadius: 6 }, label: { fontSize: 13 } }}
    />
  )
})
