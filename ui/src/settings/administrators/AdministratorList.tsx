import { Badge, Button, Group, Modal, MultiSelect, type MultiSelectProps, Pagination, SimpleGrid, Stack, Table, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { Administrator, AdminRole } from '../../api/generated'
import { useAbility, useMe } from '../../api/hooks'
import { FormError } from '../../auth/AuthPage'
import { keepOpenWithInput } from '../../components/dialogs'
import { EmptyState, ErrorState, Loading } from '../../components/States'
import { CopyableText, SettingsPage } from '../components'
import { administratorsQuery, rolesQuery, settingsKey } from '../queries'
import { DeleteItem, RowMenu, SettingsTable, useBulkDeletion, useDeletion } from '../SettingsTable'

export const nameOf = (person: Pick<Administrator, 'firstname' | 'lastname' | 'email'>) =>
  [person.firstname, person.lastname].filter(Boolean).join(' ') || (person.email ?? '')

/** All administrators, and those who are invited. */
export function AdministratorList() {
  const { t } = useTranslation()
  const ability = useAbility()
  const me = useMe()
  const [page, setPage] = useState(1)
  const [typed, setTyped] = useState('')
  const [words] = useDebouncedValue(typed.trim(), 200)
  const [inviting, setInviting] = useState(false)
  const people = useQuery({ ...administratorsQuery(page, words), placeholderData: (before) => before })
  const remove = useDeletion('people', t('people.deleted'), (id: number) => request('DELETE /admin/users/{id}', { path: { id } }))
  const bulk = useBulkDeletion({
    list: 'people',
    rows: (people.data?.results ?? []).filter((person) => person.id !== me.id).map((person) => ({ id: person.id, title: nameOf(person) })),
    may: ability.can('admin::users.delete'),
    hint: t('people.deleteHint'),
    send: (ids) => request('POST /admin/users/batch-delete', { body: { ids } }),
  })
  return (
    <SettingsPage
      title={t('settings.people')}
      hint={t('people.hint')}
      actions={ability.can('admin::users.create') && <Button leftSection={<Plus size={14} />} onClick={() => setInviting(true)}>{t('people.invite')}</Button>}
    >
      <TextInput
        maw={280}
        size="xs"
        leftSection={<Search size={13} />}
        placeholder={t('people.search')}
        aria-label={t('people.search')}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setPage(1)
        }}
      />
      {people.error && <ErrorState error={people.error} retry={() => void people.refetch()} />}
      {people.isPending && <Loading rows={3} />}
      {people.data?.results.length === 0 && <EmptyState title={t('palette.nothing')} />}
      {bulk.bar}
      {people.data && people.data.results.length > 0 && (
        <SettingsTable label={t('settings.people')} columns={[...bulk.columns, t('settings.name'), t('auth.email'), t('settings.roles'), t('providers.state')]}>
          {people.data.results.map((person) => (
            <Table.Tr key={person.id}>
              {bulk.cell(person.id)}
              <Table.Td>
                <Link to="/settings/users/$id" params={{ id: String(person.id) }} className="quire-title-link">{nameOf(person)}</Link>
              </Table.Td>
              <Table.Td>{person.email}</Table.Td>
              <Table.Td>{person.roles?.map((role) => role.name).join(', ')}</Table.Td>
              <Table.Td><AdministratorState person={person} /></Table.Td>
              <Table.Td>
                {person.id !== me.id && ability.can('admin::users.delete') && (
                  <RowMenu title={nameOf(person)}>
                    <DeleteItem title={nameOf(person)} hint={t('people.deleteHint')} onDelete={() => remove(person.id)} />
                  </RowMenu>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </SettingsTable>
      )}
      {people.data && people.data.pagination.pageCount > 1 && (
        <Pagination
          value={page}
          onChange={setPage}
          total={people.data.pagination.pageCount}
          size="sm"
          getControlProps={(control) => ({ 'aria-label': t(`page.${control}`) })}
        />
      )}
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </SettingsPage>
  )
}

/** Whether somebody can sign in. */
export function AdministratorState({ person }: { person: Administrator }) {
  const { t } = useTranslation()
  const state = person.isActive ? 'active' : 'inactive'
  return <Badge size="sm" variant="light" tt="none" color={person.isActive ? 'green' : 'gray'}>{t(`people.state.${state}`)}</Badge>
}

/** The roles to choose from; where one may not list them, there is nothing to choose. */
export function RolePicker({ known, ...props }: MultiSelectProps & { known?: Pick<AdminRole, 'id' | 'name'>[] }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const roles = useQuery({ ...rolesQuery, enabled: ability.can('admin::roles.read') })
  return (
    <MultiSelect
      label={t('settings.roles')}
      withAsterisk
      searchable
      hidePickedOptions
      data={(roles.data ?? known ?? []).map((role) => ({ value: String(role.id), label: role.name }))}
      {...props}
    />
  )
}

/** Invite somebody by a link, which the page shows for copying. */
function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const form = useForm({
    initialValues: { firstname: '', lastname: '', email: '', roles: [] as string[] },
    validate: {
      firstname: (value) => (value.trim() ? null : t('form.required')),
      email: (value) => (/.+@.+/.test(value) ? null : t('auth.emailInvalid')),
      roles: (value) => (value.length > 0 ? null : t('form.required')),
    },
  })
  const invite = useMutation({
    mutationFn: async (values: typeof form.values) => {
      const body = { ...values, lastname: values.lastname || undefined, roles: values.roles.map(Number) }
      return (await request('POST /admin/users', { body })).data as Administrator & { registrationToken: string }
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: settingsKey('people') }),
  })
  return (
    <Modal opened onClose={onClose} {...keepOpenWithInput(form.isDirty())} title={t('people.invite')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      {invite.data ? (
        <Stack gap="sm">
          <Text size="sm">{t('people.linkHint', { name: nameOf(invite.data) })}</Text>
          <InvitationLink token={invite.data.registrationToken} />
          <Group justify="flex-end"><Button onClick={onClose}>{t('action.done')}</Button></Group>
        </Stack>
      ) : (
        <form onSubmit={form.onSubmit((values) => invite.mutate(values))} noValidate>
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <TextInput label={t('auth.firstname')} withAsterisk data-autofocus {...form.getInputProps('firstname')} />
              <TextInput label={t('auth.lastname')} {...form.getInputProps('lastname')} />
            </SimpleGrid>
            <TextInput label={t('auth.email')} type="email" withAsterisk {...form.getInputProps('email')} />
            <RolePicker {...form.getInputProps('roles')} />
            <FormError error={invite.error} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
              <Button type="submit" loading={invite.isPending}>{t('people.makeLink')}</Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

export function InvitationLink({ token }: { token: string }) {
  const { t } = useTranslation()
  return <CopyableText label={t('people.link')} value={`${location.origin}/admin/auth/register?registrationToken=${token}`} />
}
