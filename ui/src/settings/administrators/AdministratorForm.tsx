import { Button, PasswordInput, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { Administrator } from '../../api/generated'
import { useAbility, useMe } from '../../api/hooks'
import { FormError } from '../../auth/AuthPage'
import { passwordProblem } from '../../auth/passwords'
import { ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { confirmFirst } from '../../components/confirm'
import { focusIfLost } from '../../shell/focus'
import { SaveButton, Section, SettingsPage } from '../components'
import { personQuery, settingsKey } from '../queries'
import { Explain } from './Explain'
import { InvitationLink, nameOf, RolePicker } from './AdministratorList'

/** A new link for somebody who has not registered: the one of the invitation is shown once. */
function Invitation({ person }: { person: Administrator }) {
  const { t } = useTranslation()
  const path = { id: person.id }
  const state = useQuery({
    queryKey: settingsKey('people', person.id, 'invitation'),
    queryFn: async () => (await request('GET /admin/x/users/{id}/invitation', { path })).data,
  })
  const renew = useMutation({
    mutationFn: async () => (await request('POST /admin/x/users/{id}/invitation', { path })).data.registrationToken,
    onError: (error) => toastError(error),
  })
  if (!state.data?.pending) return null
  return (
    <Stack gap={6} align="flex-start">
      <Text size="sm">{t('people.notRegistered', { name: nameOf(person) })}</Text>
      {renew.data ? (
        <Stack ref={focusIfLost} tabIndex={-1} role="group" aria-label={t('people.newLink')} gap={6} w="100%">
          <InvitationLink token={renew.data} />
          <Text size="xs" c="dimmed">{t('people.linkHint', { name: nameOf(person) })}</Text>
        </Stack>
      ) : (
        <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>{t('people.newLink')}</Button>
      )}
    </Stack>
  )
}

/** One administrator. */
export function AdministratorForm() {
  const { t } = useTranslation()
  const { id } = useParams({ from: '/shell/settings/users/$id' })
  const person = useQuery(personQuery(id))
  if (person.data) return <PersonForm key={id} person={person.data} />
  return (
    <SettingsPage title={t('settings.people')}>
      {person.error ? <ErrorState error={person.error} retry={() => void person.refetch()} /> : <Loading />}
    </SettingsPage>
  )
}

function PersonForm({ person }: { person: Administrator }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const me = useMe()
  const queries = useQueryClient()
  const mayChange = ability.can('admin::users.update')
  const form = useForm({
    initialValues: {
      firstname: person.firstname ?? '',
      lastname: person.lastname ?? '',
      email: person.email ?? '',
      isActive: person.isActive ?? false,
      roles: person.roles?.map((role) => String(role.id)) ?? [],
      password: '',
    },
    validate: {
      firstname: (value) => (value.trim() ? null : t('form.required')),
      email: (value) => (/.+@.+/.test(value) ? null : t('auth.emailInvalid')),
      roles: (value) => (value.length > 0 ? null : t('form.required')),
      password: (value) => (value ? passwordProblem(value) : null),
    },
  })
  const save = useMutation({
    mutationFn: ({ password, ...values }: typeof form.values) =>
      request('PUT /admin/users/{id}', {
        path: { id: person.id },
        body: { ...values, lastname: values.lastname || null, roles: values.roles.map(Number), ...(password ? { password } : {}) },
      }),
    onSuccess: (_, sent) => {
      // What was typed meanwhile is not saved.
      form.setFieldValue('password', (present) => (present === sent.password ? '' : present))
      form.resetDirty({ ...sent, password: '' })
      void queries.invalidateQueries({ queryKey: settingsKey('people') })
      toast(t('settings.saved'))
    },
  })
  const removeFactor = useMutation({
    mutationFn: () => request('DELETE /admin/x/users/{id}/second-factor', { path: { id: person.id } }),
    onSuccess: () => toast(t('people.factorRemoved')),
    onError: (error) => toastError(error),
  })
  return (
    <SettingsPage
      title={nameOf(person)}
      back={{ to: '/settings/users', label: t('settings.people') }}
      actions={
        <SaveButton
          isDirty={form.isDirty()}
          isSaving={save.isPending}
          disabledReason={mayChange ? undefined : t('settings.readOnly')}
          onSave={() => !form.validate().hasErrors && save.mutate(form.values)}
        />
      }
    >
      <FormError error={save.error} />
      <Section title={t('people.about')}>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={t('auth.firstname')} withAsterisk disabled={!mayChange} {...form.getInputProps('firstname')} />
            <TextInput label={t('auth.lastname')} disabled={!mayChange} {...form.getInputProps('lastname')} />
            <TextInput label={t('auth.email')} type="email" withAsterisk disabled={!mayChange} {...form.getInputProps('email')} />
            <RolePicker known={person.roles} disabled={!mayChange} {...form.getInputProps('roles')} />
          </SimpleGrid>
          {person.isActive === false && mayChange && <Invitation person={person} />}
          <Switch
            size="sm"
            label={t('people.active')}
            description={t('people.activeHint')}
            disabled={!mayChange || person.id === me.id}
            {...form.getInputProps('isActive', { type: 'checkbox' })}
          />
        </Stack>
      </Section>
      {mayChange && person.id !== me.id && (
        <Section title={t('people.access')} hint={t('people.accessHint')}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <PasswordInput
              label={t('auth.newPassword')}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
              {...form.getInputProps('password')}
            />
          </SimpleGrid>
          <Button
            mt="md"
            variant="default"
            loading={removeFactor.isPending}
            onClick={() => confirmFirst({ title: t('people.removeFactorTitle', { name: nameOf(person) }), hint: t('people.removeFactorHint'), confirm: t('factor.remove'), onConfirm: () => removeFactor.mutate() })}
          >
            {t('people.removeFactor')}
          </Button>
        </Section>
      )}
      {ability.can('admin::roles.read') && <Explain person={person} />}
    </SettingsPage>
  )
}
