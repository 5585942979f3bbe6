import { ActionIcon, Button, Menu, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ellipsis, Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { useAbility } from '../../api/hooks'
import { ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { formatNumber } from '../../i18n'
import { confirmFirst, SettingsPage } from '../kit'
import { endUserRolesQuery, settingsKey } from '../queries'

const USER = 'plugin::users-permissions.user'
const BUILT_IN = ['public', 'authenticated']

/** The roles of end users. */
export function EndUserRoles() {
  const { t } = useTranslation()
  const ability = useAbility()
  const queries = useQueryClient()
  const roles = useQuery(endUserRolesQuery)
  const remove = useMutation({
    mutationFn: (id: number) => request('DELETE /users-permissions/roles/{id}', { path: { id } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: settingsKey('end-user-roles') })
      toast(t('roles.deleted'))
    },
    onError: (error) => toastError(error),
  })
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
            <Button component={Link} to="/settings/end-user-roles/new" leftSection={<Plus size={14} />}>{t('roles.create')}</Button>
          )}
        </>
      }
    >
      {roles.error && <ErrorState error={roles.error} retry={() => void roles.refetch()} />}
      {roles.isPending && <Loading rows={3} />}
      {roles.data && (
        <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('settings.endUserRoles')}>
          <Table className="quire-table" verticalSpacing={8} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('settings.name')}</Table.Th>
                <Table.Th>{t('settings.description')}</Table.Th>
                <Table.Th ta="right">{t('settings.endUsers')}</Table.Th>
                <Table.Th w={50}><span className="quire-unseen">{t('list.rowActions')}</span></Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {roles.data.map((role) => (
                <Table.Tr key={role.id}>
                  <Table.Td>
                    <Link to="/settings/end-user-roles/$id" params={{ id: String(role.id) }} className="quire-title-link">{role.name}</Link>
                  </Table.Td>
                  <Table.Td><Text inherit className="quire-ellipsis">{role.description}</Text></Table.Td>
                  <Table.Td ta="right">{role.type === 'public' ? '–' : formatNumber(role.nb_users ?? 0)}</Table.Td>
                  <Table.Td>
                    {!BUILT_IN.includes(role.type) && ability.can('plugin::users-permissions.roles.delete') && (
                      <Menu position="bottom-end">
                        <Menu.Target>
                          <ActionIcon aria-label={t('list.actions', { title: role.name })}><Ellipsis size={15} /></ActionIcon>
                        </Menu.Target>
                        <Menu.Dropdown>
                          <Menu.Item
                            color="red"
                            leftSection={<Trash2 size={14} />}
                            onClick={() => confirmFirst({ title: t('delete.title', { title: role.name }), hint: t('endUserRoles.deleteHint'), onConfirm: () => remove.mutate(role.id) })}
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
