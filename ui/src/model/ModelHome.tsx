import { Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { modelStateQuery } from '../api/model'
import { useHome } from '../api/hooks'
import { EmptyState } from '../components/States'
import { modelHomeRoute } from '../router'
import { byName, type DraftModel } from './draft'
import { NewModelDialog, type NewKind } from './NewModelDialog'
import { useBuilder, useDraft } from './store'

const KINDS = ['collectionType', 'singleType', 'component'] as const

/** All content types and components in one table, and the way to a new one. */
export function ModelHome() {
  const { t } = useTranslation()
  useDocumentTitle(`${t('nav.model')} · Quire`)
  const navigate = useNavigate()
  const { new: making } = modelHomeRoute.useSearch()
  const locked = useQuery(modelStateQuery).data?.writable === false
  const counts = new Map(useHome().data?.types.map((type) => [type.uid, type.count]))
  const models = Object.values(useDraft()).sort(byName)
  const make = (kind: NewKind | undefined) => void navigate({ to: '/model', search: kind ? { new: kind } : {}, replace: true })
  const kindOf = (model: DraftModel): NewKind => (model.isComponent ? 'component' : model.kind)
  const hasTypes = models.some((model) => model.uid.startsWith('api::'))
  return (
    <Stack p="md" gap="md" className="quire-scroll" flex={1}>
      <Group justify="space-between">
        <Title order={1}>{t('nav.model')}</Title>
        {!locked && (
          <Group gap="xs">
            {KINDS.map((kind) => (
              <Button key={kind} variant={kind === 'collectionType' ? 'filled' : 'default'} leftSection={<Plus size={14} />} onClick={() => make(kind)}>
                {t(`model.new.${kind}`)}
              </Button>
            ))}
          </Group>
        )}
      </Group>
      {!hasTypes && <EmptyState title={t('model.noTypes')}>{t('model.noTypesHint')}</EmptyState>}
      {models.length > 0 && (
        <Paper withBorder className="quire-surface">
          <Table className="quire-table" verticalSpacing={7} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th pl="sm">{t('model.head.displayName')}</Table.Th>
                <Table.Th>{t('model.head.kind')}</Table.Th>
                <Table.Th className="quire-wide">{t('model.head.id')}</Table.Th>
                <Table.Th ta="right">{t('model.tab.fields')}</Table.Th>
                <Table.Th ta="right" pr="sm">{t('model.head.entries')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {models.map((model) => (
                <Table.Tr key={model.id}>
                  <Table.Td pl="sm"><Link className="quire-title-link" to="/model/$uid" params={{ uid: model.uid }}>{model.info.displayName}</Link></Table.Td>
                  <Table.Td>{t(`model.kind.${kindOf(model)}`)}</Table.Td>
                  <Table.Td className="quire-wide"><Text size="xs" c="dimmed" ff="monospace">{model.uid}</Text></Table.Td>
                  <Table.Td ta="right">{model.fields.length}</Table.Td>
                  <Table.Td ta="right" pr="sm">{counts.get(model.uid) ?? ''}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
      <NewModelDialog
        kind={locked ? null : (making ?? null)}
        onClose={() => make(undefined)}
        onMade={(made) => {
          useBuilder.getState().select(null)
          void navigate({ to: '/model/$uid', params: { uid: made.uid } })
        }}
      />
    </Stack>
  )
}
