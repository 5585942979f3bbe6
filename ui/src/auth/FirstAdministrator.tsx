import { Button, Group, InputBase, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { request, signedIn } from '../api/client'
import { AuthPage, FormError } from './AuthPage'
import { deviceId } from './device'
import { linkParameter } from './linkParameter'
import { localeChoices, setDefaultLocale } from './locales'
import { NewPassword } from './NewPassword'
import { passwordProblem } from './passwords'

/** The first administrator, by the link that the server prints at its start. */
export function FirstAdministrator() {
  const { t, i18n } = useTranslation()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { email: '', firstname: '', lastname: '', password: '', again: '', locale: '' },
    validate: {
      email: (value) => (/.+@.+/.test(value) ? null : t('auth.emailInvalid')),
      firstname: (value) => (value.trim() ? null : t('form.required')),
      password: passwordProblem,
      again: (value, values) => (value === values.password ? null : t('auth.passwordsDiffer')),
    },
  })
  const register = useMutation({
    mutationFn: (values: typeof form.values) =>
      request('POST /admin/register-admin', {
        body: {
          email: values.email,
          firstname: values.firstname,
          lastname: values.lastname || null,
          password: values.password,
          registrationToken: linkParameter('registrationToken') || undefined,
          deviceId: deviceId(),
        } as never,
      }),
    onSuccess: async ({ data }, { locale }) => {
      signedIn(data.token)
      // The account is there by now: what fails here can be set in the settings.
      if (locale) await setDefaultLocale(locale).catch(async (error) => (await import('../components/toast')).toastError(error))
      void navigate({ to: '/', replace: true })
    },
  })
  return (
    <AuthPage title={t('setup.title')} hint={t('setup.hint')}>
      <form onSubmit={form.onSubmit((values) => register.mutate(values))} noValidate>
        <Stack gap="sm">
          <TextInput label={t('auth.email')} type="email" autoComplete="username" autoFocus withAsterisk {...form.getInputProps('email')} />
          <Group grow align="flex-start">
            <TextInput label={t('auth.firstname')} autoComplete="given-name" withAsterisk {...form.getInputProps('firstname')} />
            <TextInput label={t('auth.lastname')} autoComplete="family-name" {...form.getInputProps('lastname')} />
          </Group>
          <NewPassword form={form} />
          {/* A control of the browser: that of Mantine comes with the screens, which nobody sees yet. */}
          <InputBase
            component="select"
            label={t('setup.locale')}
            description={t('setup.localeHint')}
            pointer
            rightSection={<span aria-hidden>▾</span>}
            rightSectionPointerEvents="none"
            {...form.getInputProps('locale')}
          >
            <option value="">{t('setup.localeKeep')}</option>
            {localeChoices(i18n.language).map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
          </InputBase>
          <FormError error={register.error} />
          <Button type="submit" size="sm" loading={register.isPending}>
            {t('setup.create')}
          </Button>
        </Stack>
      </form>
    </AuthPage>
  )
}
