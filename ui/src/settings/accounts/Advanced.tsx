import { Select, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { useAbility } from '../../api/hooks'
import { FormError } from '../../auth/AuthPage'
import { ErrorState, Loading } from '../../components/States'
import { toast } from '../../components/toast'
import { SaveButton, Section, SettingsPage } from '../components'
import { settingsKey, type EndUserRole } from '../queries'

type Settings = {
  unique_email: boolean
  allow_register: boolean
  email_confirmation: boolean
  email_reset_password: string | null
  email_confirmation_redirection: string | null
  default_role: string
}
type Answer = { settings: Settings; roles: EndUserRole[] }

const KEY = settingsKey('advanced')

/** How end users register, and where the links of their mails lead. */
export function Advanced() {
  const { t } = useTranslation()
  const advanced = useQuery({ queryKey: KEY, queryFn: async () => (await request('GET /users-permissions/advanced')) as Answer })
  if (advanced.data) return <AdvancedForm {...advanced.data} />
  return (
    <SettingsPage title={t('settings.advanced')}>
      {advanced.error ? <ErrorState error={advanced.error} retry={() => void advanced.refetch()} /> : <Loading />}
    </SettingsPage>
  )
}

function AdvancedForm({ settings, roles }: Answer) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const mayChange = useAbility().can('plugin::users-permissions.advanced-settings.update')
  const form = useForm({
    initialValues: {
      ...settings,
      email_reset_password: settings.email_reset_password ?? '',
      email_confirmation_redirection: settings.email_confirmation_redirection ?? '',
    },
  })
  const save = useMutation({
    mutationFn: (values: typeof form.values) =>
      request('PUT /users-permissions/advanced', {
        body: {
          ...values,
          email_reset_password: values.email_reset_password || null,
          email_confirmation_redirection: values.email_confirmation_redirection || null,
        },
      }),
    onSuccess: (_, sent) => {
      // What was typed meanwhile is not saved.
      form.resetDirty(sent)
      void queries.invalidateQueries({ queryKey: KEY })
      toast(t('settings.saved'))
    },
  })
  const flag = (name: 'allow_register' | 'email_confirmation' | 'unique_email') => (
    <Switch
      size="sm"
      label={t(`advanced.${name}`)}
      description={t(`advanced.${name}Hint`)}
      disabled={!mayChange}
      {...form.getInputProps(name, { type: 'checkbox' })}
    />
  )
  return (
    <SettingsPage
      title={t('settings.advanced')}
      hint={t('advanced.hint')}
      actions={
        <SaveButton
          isDirty={form.isDirty()}
          isSaving={save.isPending}
          disabledReason={mayChange ? undefined : t('settings.readOnly')}
          onSave={() => save.mutate(form.values)}
        />
      }
    >
      <FormError error={save.error} />
      <Section title={t('advanced.registration')}>
        <Stack gap="md">
          {flag('allow_register')}
          <Select
            label={t('advanced.default_role')}
            description={t('advanced.default_roleHint')}
            maw={420}
            allowDeselect={false}
            disabled={!mayChange}
            data={roles.map((role) => ({ value: role.type, label: role.name }))}
            {...form.getInputProps('default_role')}
          />
          {flag('unique_email')}
        </Stack>
      </Section>
      <Section title={t('advanced.mails')}>
        <Stack gap="md">
          {flag('email_confirmation')}
          <TextInput
            label={t('advanced.email_confirmation_redirection')}
            description={t('advanced.email_confirmation_redirectionHint')}
            placeholder="https://www.example.org/welcome"
            maw={420}
            disabled={!mayChange}
            {...form.getInputProps('email_confirmation_redirection')}
          />
          <TextInput
            label={t('advanced.email_reset_password')}
            description={t('advanced.email_reset_passwordHint')}
            placeholder="https://www.example.org/new-password"
            maw={420}
            disabled={!mayChange}
            {...form.getInputProps('email_reset_password')}
          />
        </Stack>
      </Section>
    </SettingsPage>
  )
}
