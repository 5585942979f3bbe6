import { ActionIcon, Badge, Button, Menu, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ellipsis, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { AdminApiToken } from '../../api/generated'
import { useAbility } from '../../api/hooks'
import { RelativeTime } from '../../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { confirmFirst, SettingsPage } from '../kit'
import { settingsKey, tokensQuery } from '../queries'

/** All API tokens, with what they may do and when they were last used. */
export function TokenList() {
  const { t } = useTranslation()
  const ability = useAbility()
  const queries = useQueryClient()
  const tokens = useQuery(tokensQuery)
  const remove = useMutation({
    mutationFn: (id: number) => request('DELETE /admin/api-tokens/{id}', { path: { id } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: settingsKey('tokens') })
      toast(t('tokens.deleted'))
    },
    onError: (error) => toastError(error),
  })
  const create = ability.can('admin::api-tokens.create') && (
    <Button component={Link} to="/settings/api-tokens/new" leftSection={<Plus size={14} />}>{t('tokens.create')}</Button>
  )
  return (
    <SettingsPage title={t('settings.tokens')} hint={t('tokens.hint')} actions={create}>
      {tokens.error && <ErrorState error={tokens.error} retry={() => void tokens.refetch()} />}
      {tokens.isPending && <Loading rows={3} />}
      {tokens.data?.length === 0 && <EmptyState title={t('tokens.none')}>{t('tokens.noneHint')}</EmptyState>}
      {tokens.data && tokens.data.length > 0 && (
        <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('settings.tokens')}>
          <Table className="quire-table" verticalSpacing={8} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('settings.name')}</Table.Th>
                <Table.Th>{t('tokens.type')}</Table.Th>
                <Table.Th>{t('tokens.lastUsed')}</Table.Th>
                <Table.Th>{t('tokens.expires')}</Table.Th>
                <Table.Th w={50}><span className="quire-unseen">{t('list.rowActions')}</span></Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {tokens.data.map((token) => (
                <Table.Tr key={token.id}>
                  <Table.Td>
                    <Link to="/settings/api-tokens/$id" params={{ id: String(token.id) }} className="quire-title-link">{token.name}</Link>
                    {token.description && <Text size="xs" c="dimmed" className="quire-ellipsis">{token.description}</Text>}
                  </Table.Td>
                  <Table.Td>{t(`tokens.type.${token.type}`)}</Table.Td>
                  <Table.Td>{token.lastUsedAt ? <RelativeTime at={token.lastUsedAt} /> : <Text inherit c="dimmed">{t('tokens.neverUsed')}</Text>}</Table.Td>
                  <Table.Td><Expiry token={token} /></Table.Td>
                  <Table.Td>
                    {ability.can('admin::api-tokens.delete') && (
                      <Menu position="bottom-end">
                        <Menu.Target>
                          <ActionIcon aria-label={t('list.actions', { title: token.name })}><Ellipsis size={15} /></ActionIcon>
                        </Menu.Target>
                        <Menu.Dropdown>
                          <Menu.Item
                            color="red"
                            leftSection={<Trash2 size={14} />}
                            onClick={() => confirmFirst({ title: t('delete.title', { title: token.name }), hint: t('tokens.deleteHint'), onConfirm: () => remove.mutate(token.id) })}
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

const SOON = 7 * 24 * 3600 * 1000

/** When a token ends; one that has ended or is about to is marked. */
export function Expiry({ token }: { token: AdminApiToken }) {
  const { t } = useTranslation()
  const [now] = useState(() => Date.now())
  if (!token.expiresAt) return <Text span inherit c="dimmed">{t('tokens.never')}</Text>
  const left = new Date(token.expiresAt).getTime() - now
  if (left <= 0) return <Badge size="sm" variant="light" color="red" tt="none">{t('tokens.expired')}</Badge>
  const time = <RelativeTime at={token.expiresAt} />
  return left < SOON ? <Badge size="sm" variant="light" color="yellow" tt="none">{time}</Badge> : time
}
