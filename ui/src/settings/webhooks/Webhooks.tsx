import { ActionIcon, Button, Menu, Switch, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ellipsis, Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { Webhook } from '../../api/generated'
import { useAbility } from '../../api/hooks'
import { EmptyState, ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { confirmFirst, SettingsPage } from '../kit'
import { settingsKey, webhooksQuery } from '../queries'

/** The addresses that are called when content or files change. */
export function Webhooks() {
  const { t } = useTranslation()
  const ability = useAbility()
  const queries = useQueryClient()
  const webhooks = useQuery(webhooksQuery)
  const refresh = () => void queries.invalidateQueries({ queryKey: settingsKey('webhooks') })
  const enable = useMutation({
    mutationFn: ({ id, ...webhook }: Webhook) => request('PUT /admin/webhooks/{id}', { path: { id }, body: webhook }),
    onSuccess: refresh,
    onError: (error) => toastError(error),
  })
  const remove = useMutation({
    mutationFn: (id: string) => request('DELETE /admin/webhooks/{id}', { path: { id } }),
    onSuccess: () => {
      refresh()
      toast(t('webhooks.deleted'))
    },
    onError: (error) => toastError(error),
  })
  return (
    <SettingsPage
      title={t('settings.webhooks')}
      hint={t('webhooks.hint')}
      actions={
        ability.can('admin::webhooks.create') && (
          <Button component={Link} to="/settings/webhooks/new" leftSection={<Plus size={14} />}>{t('webhooks.create')}</Button>
        )
      }
    >
      {webhooks.error && <ErrorState error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {webhooks.isPending && <Loading rows={3} />}
      {webhooks.data?.length === 0 && <EmptyState title={t('webhooks.none')}>{t('webhooks.noneHint')}</EmptyState>}
      {webhooks.data && webhooks.data.length > 0 && (
        <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('settings.webhooks')}>
          <Table className="quire-table" verticalSpacing={8} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('settings.name')}</Table.Th>
                <Table.Th>{t('webhooks.url')}</Table.Th>
                <Table.Th>{t('webhooks.events')}</Table.Th>
                <Table.Th>{t('providers.enabled')}</Table.Th>
                <Table.Th w={50}><span className="quire-unseen">{t('list.rowActions')}</span></Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {webhooks.data.map((webhook) => (
                <Table.Tr key={webhook.id}>
                  <Table.Td>
                    <Link to="/settings/webhooks/$id" params={{ id: webhook.id }} className="quire-title-link">{webhook.name}</Link>
                  </Table.Td>
                  <Table.Td><Text inherit className="quire-ellipsis" title={webhook.url}>{webhook.url}</Text></Table.Td>
                  <Table.Td><Text inherit className="quire-ellipsis" title={webhook.events.join(', ')}>{webhook.events.join(', ')}</Text></Table.Td>
                  <Table.Td>
                    <Switch
                      size="xs"
                      aria-label={t('webhooks.enabledNamed', { name: webhook.name })}
                      checked={webhook.isEnabled}
                      disabled={!ability.can('admin::webhooks.update')}
                      onChange={(event) => enable.mutate({ ...webhook, isEnabled: event.currentTarget.checked })}
                    />
                  </Table.Td>
                  <Table.Td>
                    {ability.can('admin::webhooks.delete') && (
                      <Menu position="bottom-end">
                        <Menu.Target>
                          <ActionIcon aria-label={t('list.actions', { title: webhook.name })}><Ellipsis size={15} /></ActionIcon>
                        </Menu.Target>
                        <Menu.Dropdown>
                          <Menu.Item
                            color="red"
                            leftSection={<Trash2 size={14} />}
                            onClick={() => confirmFirst({ title: t('delete.title', { title: webhook.name }), hint: t('webhooks.deleteHint'), onConfirm: () => remove.mutate(webhook.id) })}
                          >
                            {t('action.delete')}
                          </Menu.Item>
                        </Menu.Dropdown>
                      </Menu>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </SettingsPage>
  )
}
