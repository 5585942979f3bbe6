import { Button, ColorSwatch, Group, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { ReviewWorkflow } from '../../api/generated'
import { useAbility, useModel } from '../../api/hooks'
import { EmptyState, ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { reviewKey, workflowsQuery } from '../../review/queries'
import { SettingsPage } from '../components'
import { DeleteItem, RowMenu, SettingsTable } from '../SettingsTable'
import { WorkflowDialog } from './WorkflowDialog'

/** The stages that entries pass before they are published. */
export function Workflows() {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const mayChange = useAbility().can('admin::project-settings.update')
  const { types } = useModel()
  const workflows = useQuery(workflowsQuery)
  const [edited, setEdited] = useState<ReviewWorkflow | 'new' | null>(null)
  const remove = useMutation({
    mutationFn: (id: number) => request('DELETE /admin/x/review/workflows/{id}', { path: { id } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: reviewKey })
      toast(t('workflows.deleted'))
    },
    onError: (error) => toastError(error),
  })
  const create = mayChange && <Button leftSection={<Plus size={14} />} onClick={() => setEdited('new')}>{t('workflows.create')}</Button>
  return (
    <SettingsPage title={t('settings.workflows')} hint={t('workflows.hint')} actions={create}>
      {workflows.error && <ErrorState error={workflows.error} retry={() => void workflows.refetch()} />}
      {workflows.isPending && <Loading rows={3} />}
      {workflows.data?.length === 0 && <EmptyState title={t('workflows.none')} action={create}>{t('workflows.noneHint')}</EmptyState>}
      {workflows.data && workflows.data.length > 0 && (
        <SettingsTable label={t('settings.workflows')} columns={[t('settings.name'), t('workflows.stages'), t('workflows.types')]}>
          {workflows.data.map((workflow) => (
            <Table.Tr key={workflow.id}>
              <Table.Td>
                {mayChange ? (
                  <Button variant="subtle" size="compact-sm" px={0} className="quire-title-link" onClick={() => setEdited(workflow)}>{workflow.name}</Button>
                ) : (
                  <Text inherit fw={500}>{workflow.name}</Text>
                )}
              </Table.Td>
              <Table.Td>
                <Group gap={10}>
                  {workflow.stages.map((stage) => (
                    <Group key={stage.id} gap={5} wrap="nowrap">
                      <ColorSwatch size={10} color={stage.color} withShadow={false} />
                      <Text inherit fw={stage.requiredToPublish ? 600 : undefined}>{stage.name}</Text>
                    </Group>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>{workflow.contentTypes.map((uid) => types.get(uid)?.info.displayName ?? uid).join(', ') || '–'}</Table.Td>
              <Table.Td>
                {mayChange && (
                  <RowMenu title={workflow.name}>
                    <DeleteItem title={workflow.name} hint={t('workflows.deleteHint')} onDelete={() => remove.mutate(workflow.id)} />
                  </RowMenu>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </SettingsTable>
      )}
      {edited && <WorkflowDialog workflow={edited === 'new' ? null : edited} others={(workflows.data ?? []).filter((one) => one !== edited)} onClose={() => setEdited(null)} />}
    </SettingsPage>
  )
}
