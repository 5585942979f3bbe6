import { Button, Switch, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { Webhook } from '../../api/generated'
import { useAbility } from '../../api/hooks'
import { EmptyState, ErrorState, Loading } from '../../components/States'
import { toastError } from '../../components/toast'
import { SettingsPage } from '../components'
import { settingsKey, webhooksQuery } from '../queries'
import { DeleteItem, RowMenu, SettingsTable, useBulkDeletion, useDeletion } from '../SettingsTable'

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
  const remove = useDeletion('webhooks', t('webhooks.deleted'), (id: string) => request('DELETE /admin/webhooks/{id}', { path: { id } }))
  const bulk = useBulkDeletion({
    list: 'webhooks',
    rows: (webhooks.data ?? []).map((webhook) => ({ id: webhook.id, title: webhook.name })),
    may: ability.can('admin::webhooks.delete'),
    hint: t('webhooks.deleteHint'),
    send: (ids) => request('POST /admin/webhooks/batch-delete', { body: { ids } }),
  })
  return (
    <SettingsPage
      title={t('settings.webhooks')}
      hint={t('webhooks.hint')}
      actions={
        ability.can('admin::webhooks.create') && (
          <Button component={Link} to="/settings/webhooks/new" preload="render" leftSection={<Plus size={14} />}>{t('webhooks.create')}</Button>
        )
      }
    >
      {webhooks.error && <ErrorState error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {webhooks.isPending && <Loading rows={3} />}
      {webhooks.data?.length === 0 && <EmptyState title={t('webhooks.none')}>{t('webhooks.noneHint')}</EmptyState>}
      {bulk.bar}
      {webhooks.data && webhooks.data.length > 0 && (
        <SettingsTable label={t('settings.webhooks')} columns={[...bulk.columns, t('settings.name'), t('webhooks.url'), t('webhooks.events'), t('providers.enabled')]}>
          {webhooks.data.map((webhook) => (
            <Table.Tr key={webhook.id}>
              {bulk.cell(webhook.id)}
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
                  <RowMenu title={webhook.name}>
                    <DeleteItem title={webhook.name} hint={t('webhooks.deleteHint')} onDelete={() => remove(webhook.id)} />
                  </RowMenu>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </SettingsTable>
      )}
    </SettingsPage>
  )
}
