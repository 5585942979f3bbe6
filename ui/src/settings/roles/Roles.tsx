import { Button, Group, Menu, Modal, Stack, Table, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Copy, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { AdminRole } from '../../api/generated'
import { useAbility } from '../../api/hooks'
import { FormError } from '../../auth/AuthPage'
import { ErrorState, Loading } from '../../components/States'
import { formatNumber } from '../../i18n'
import { SettingsPage } from '../components'
import { rolesQuery, settingsKey } from '../queries'
import { DeleteItem, RowMenu, SettingsTable, useBulkDeletion, useDeletion } from '../SettingsTable'

/** The roles of administrators. */
export function Roles() {
  const { t } = useTranslation()
  const ability = useAbility()
  const roles = useQuery(rolesQuery)
  const [making, setMaking] = useState<{ copied: AdminRole | null } | null>(null)
  const remove = useDeletion('roles', t('roles.deleted'), (id: number) => request('DELETE /admin/roles/{id}', { path: { id } }))
  const mayCreate = ability.can('admin::roles.create')
  const mayDelete = ability.can('admin::roles.delete')
  const bulk = useBulkDeletion({
    list: 'roles',
    rows: (roles.data ?? []).filter((role) => !role.usersCount).map((role) => ({ id: role.id, title: role.name })),
    may: mayDelete,
    send: (ids) => request('POST /admin/roles/batch-delete', { body: { ids } }),
  })
  return (
    <SettingsPage
      title={t('settings.roles')}
      hint={t('roles.hint')}
      actions={mayCreate && <Button leftSection={<Plus size={14} />} onClick={() => setMaking({ copied: null })}>{t('roles.create')}</Button>}
    >
      {roles.error && <ErrorState error={roles.error} retry={() => void roles.refetch()} />}
      {roles.isPending && <Loading rows={3} />}
      {bulk.bar}
      {roles.data && (
        <SettingsTable label={t('settings.roles')} columns={[...bulk.columns, t('settings.name'), t('settings.description'), { label: t('settings.people'), align: 'right' }]}>
          {roles.data.map((role) => (
            <Table.Tr key={role.id}>
              {bulk.cell(role.id)}
              <Table.Td>
                <Link to="/settings/roles/$id" params={{ id: String(role.id) }} className="quire-title-link">{role.name}</Link>
              </Table.Td>
              <Table.Td><Text inherit className="quire-ellipsis">{role.description}</Text></Table.Td>
              <Table.Td ta="right">{formatNumber(role.usersCount ?? 0)}</Table.Td>
              <Table.Td>
                {(mayCreate || mayDelete) && (
                  <RowMenu title={role.name}>
                    {mayCreate && <Menu.Item leftSection={<Copy size={14} />} onClick={() => setMaking({ copied: role })}>{t('action.duplicate')}</Menu.Item>}
                    {mayDelete && (
                      <DeleteItem title={role.name} lockedReason={role.usersCount ? t('roles.inUse') : undefined} onDelete={() => remove(role.id)} />
                    )}
                  </RowMenu>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </SettingsTable>
      )}
      {making && <NewRoleDialog copied={making.copied} onClose={() => setMaking(null)} />}
    </SettingsPage>
  )
}

/** A new role, which grants nothing, or what another one grants. */
function NewRoleDialog({ copied, onClose }: { copied: AdminRole | null; onClose: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { name: '', description: copied?.description ?? '' },
    validate: { name: (value) => (value.trim() ? null : t('form.required')) },
  })
  const create = useMutation({
    mutationFn: async (values: typeof form.values) => {
      const { data } = await request('POST /admin/roles', { body: values })
      if (copied) {
        const source = (await request('GET /admin/roles/{id}/permissions', { path: { id: copied.id } })).data
        const permissions = source.map(({ action, subject, properties, conditions }) => ({ action, subject, properties, conditions }))
        await request('PUT /admin/roles/{id}/permissions', { path: { id: data.id }, body: { permissions } })
      }
      return data
    },
    onSuccess: (role) => {
      void queries.invalidateQueries({ queryKey: settingsKey('roles') })
      void navigate({ to: '/settings/roles/$id', params: { id: String(role.id) } })
    },
  })
  return (
    <Modal opened onClose={onClose} title={copied ? t('roles.copyOf', { name: copied.name }) : t('roles.create')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
        <Stack gap="sm">
          <TextInput label={t('settings.name')} withAsterisk data-autofocus {...form.getInputProps('name')} />
          <Textarea label={t('settings.description')} autosize minRows={2} {...form.getInputProps('description')} />
          <FormError error={create.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" loading={create.isPending}>{t('roles.create')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
