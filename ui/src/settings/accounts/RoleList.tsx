import { Button, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { useAbility } from '../../api/hooks'
import { ErrorState, Loading } from '../../components/States'
import { formatNumber } from '../../i18n'
import { SettingsPage } from '../components'
import { endUserRolesQuery } from '../queries'
import { DeleteItem, RowMenu, SettingsTable, useDeletion } from '../SettingsTable'

const USER = 'plugin::users-permissions.user'
const BUILT_IN = ['public', 'authenticated']

/** The roles of end users. */
export function EndUserRoles() {
  const { t } = useTranslation()
  const ability = useAbility()
  const roles = useQuery(endUserRolesQuery)
  const remove = useDeletion('end-user-roles', t('roles.deleted'), (id: number) => request('DELETE /users-permissions/roles/{id}', { path: { id } }))
  return (
    <SettingsPage
      title={t('settings.endUserRoles')}
      hint={t('endUserRoles.hint')}
      actions={
        <>
          {ability.canContent('read', USER) && (
            <Button variant="default" component={Link} to="/content/$uid" params={{ uid: USER } as never}>{t('settings.endUsers')}</Button>
          )}
          {ability.can('plugin::users-permissions.roles.create') && (
            <Button component={Link} to="/settings/end-user-roles/new" preload="render" leftSection={<Plus size={14} />}>{t('roles.create')}</Button>
          )}
        </>
      }
    >
      {roles.error && <ErrorState error={roles.error} retry={() => void roles.refetch()} />}
      {roles.isPending && <Loading rows={3} />}
      {roles.data && (
        <SettingsTable label={t('settings.endUserRoles')} columns={[t('settings.name'), t('settings.description'), { label: t('settings.endUsers'), align: 'right' }]}>
          {roles.data.map((role) => (
            <Table.Tr key={role.id}>
              <Table.Td>
                <Link to="/settings/end-user-roles/$id" params={{ id: String(role.id) }} className="quire-title-link">{role.name}</Link>
              </Table.Td>
              <Table.Td><Text inherit className="quire-ellipsis">{role.description}</Text></Table.Td>
              <Table.Td ta="right">{role.type === 'public' ? '–' : formatNumber(role.nb_users ?? 0)}</Table.Td>
              <Table.Td>
                {!BUILT_IN.includes(role.type) && ability.can('plugin::users-permissions.roles.delete') && (
                  <RowMenu title={role.name}>
                    <DeleteItem title={role.name} hint={t('endUserRoles.deleteHint')} onDelete={() => remove(role.id)} />
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
