import { Badge, Button, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { AdminApiToken } from '../../api/generated'
import { useAbility } from '../../api/hooks'
import { RelativeTime } from '../../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../../components/States'
import { SettingsPage } from '../components'
import { tokensQuery } from '../queries'
import { DeleteItem, RowMenu, SettingsTable, useDeletion } from '../SettingsTable'

/** All API tokens, with what they may do and when they were last used. */
export function TokenList() {
  const { t } = useTranslation()
  const ability = useAbility()
  const tokens = useQuery(tokensQuery)
  const remove = useDeletion('tokens', t('tokens.deleted'), (id: number) => request('DELETE /admin/api-tokens/{id}', { path: { id } }))
  const create = ability.can('admin::api-tokens.create') && (
    <Button component={Link} to="/settings/api-tokens/new" preload="render" leftSection={<Plus size={14} />}>{t('tokens.create')}</Button>
  )
  return (
    <SettingsPage title={t('settings.tokens')} hint={t('tokens.hint')} actions={create}>
      {tokens.error && <ErrorState error={tokens.error} retry={() => void tokens.refetch()} />}
      {tokens.isPending && <Loading rows={3} />}
      {tokens.data?.length === 0 && <EmptyState title={t('tokens.none')}>{t('tokens.noneHint')}</EmptyState>}
      {tokens.data && tokens.data.length > 0 && (
        <SettingsTable label={t('settings.tokens')} columns={[t('settings.name'), t('tokens.type'), t('tokens.lastUsed'), t('tokens.expires')]}>
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
                  <RowMenu title={token.name}>
                    <DeleteItem title={token.name} hint={t('tokens.deleteHint')} onDelete={() => remove(token.id)} />
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
