import { Alert, Anchor, Button, Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { request, signedIn } from '../api/client'
import { AuthPage, FormError } from './AuthPage'
import { deviceId } from './device'
import { toastError } from '../components/toast'
import { localeChoices, setDefaultLocale } from './locales'
import { passwordProblem } from './passwords'

const parameter = (name: string) => new URLSearchParams(location.search).get(name) ?? ''

/** The first administrator, by the link that the server prints at its start. */
export function RegisterFirst() {
  const { t, i18n } = useTranslation()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { email: '', firstname: '', lastname: '', password: '', again: '', locale: null as string | null },
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
          registrationToken: parameter('registrationToken') || undefined,
          deviceId: deviceId(),
        } as never,
      }),
    onSuccess: async ({ data }, { locale }) => {
      signedIn(data.token)
      // The account is there by now: what fails here can be set in the settings.
      if (locale) await setDefaultLocale(locale).catch(toastError)
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
          <Select
            label={t('setup.locale')}
            description={t('setup.localeHint')}
            placeholder={t('setup.localeKeep')}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('action.clear') }}
            data={localeChoices(i18n.language)}
            {...form.getInputProps('locale')}
          />
          <FormError error={register.error} />
          <Button type="submit" size="sm" loading={register.isPending}>
            {t('setup.create')}
          </Button>
        </Stack>
      </form>
    </AuthPage>
  )
}

type PasswordForm = { getInputProps: (name: 'password' | 'again') => object }

function NewPassword({ form }: { form: PasswordForm }) {
  const { t } = useTranslation()
  const toggle = { 'aria-label': t('auth.showPassword') }
  return (
    <>
      <PasswordInput
        label={t('auth.newPassword')}
        description={t('auth.passwordRules')}
        autoComplete="new-password"
        withAsterisk
        visibilityToggleButtonProps={toggle}
        {...form.getInputProps('password')}
      />
      <PasswordInput
        label={t('auth.passwordAgain')}
        autoComplete="new-password"
        withAsterisk
        visibilityToggleButtonProps={toggle}
        {...form.getInputProps('again')}
      />
    </>
  )
}

/** Somebody who was invited chooses a password. */
export function AcceptInvitation() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const registrationToken = parameter('registrationToken')
  const invitation = useQuery({
    queryKey: ['invitation', registrationToken],
    retry: false,
    queryFn: async () =>
      (await request('GET /admin/registration-info', { query: { registrationToken } })).data as {
        email: string
        firstname: string | null
        lastname: string | null
      },
  })
  const form = useForm({
    initialValues: { firstname: '', lastname: '', password: '', again: '' },
    validate: {
      password: passwordProblem,
      again: (value, values) => (value === values.password ? null : t('auth.passwordsDiffer')),
    },
  })
  const register = useMutation({
    mutationFn: (values: typeof form.values) =>
      request('POST /admin/register', {
        body: {
          registrationToken,
          userInfo: {
            firstname: values.firstname || invitation.data?.firstname || '',
            lastname: values.lastname || invitation.data?.lastname || null,
            password: values.password,
          },
          deviceId: deviceId(),
        } as never,
      }),
    onSuccess: ({ data }) => {
      signedIn(data.token)
      void navigate({ to: '/', replace: true })
    },
  })
  if (invitation.error) {
    return (
      <AuthPage title={t('invitation.title')}>
        <Alert color="red" variant="light" role="alert">
          {t('invitation.invalid')}
        </Alert>
        <Anchor size="sm" href="/admin/login">{t('auth.toSignIn')}</Anchor>
      </AuthPage>
    )
  }
  return (
    <AuthPage title={t('invitation.title')} hint={invitation.data && t('invitation.hint', { email: invitation.data.email })}>
      <form onSubmit={form.onSubmit((values) => register.mutate(values))} noValidate>
        <Stack gap="sm">
          <Group grow align="flex-start">
            <TextInput label={t('auth.firstname')} placeholder={invitation.data?.firstname ?? ''} autoComplete="given-name" {...form.getInputProps('firstname')} />
            <TextInput label={t('auth.lastname')} placeholder={invitation.data?.lastname ?? ''} autoComplete="family-name" {...form.getInputProps('lastname')} />
          </Group>
          <NewPassword form={form} />
          <FormError error={register.error} />
          <Button type="submit" size="sm" loading={register.isPending} disabled={!invitation.data}>
            {t('invitation.accept')}
          </Button>
        </Stack>
      </form>
    </AuthPage>
  )
}

export function ForgotPassword() {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: (value) => (/.+@.+/.test(value) ? null : t('auth.emailInvalid')) },
  })
  const ask = useMutation({
    mutationFn: (values: { email: string }) => request('POST /admin/forgot-password', { body: values }),
  })
  return (
    <AuthPage title={t('forgot.title')} hint={ask.isSuccess ? undefined : t('forgot.hint')}>
      {ask.isSuccess ? (
        <Alert variant="light" role="status">
          {t('forgot.sent', { email: form.values.email })}
        </Alert>
      ) : (
        <form onSubmit={form.onSubmit((values) => ask.mutate(values))} noValidate>
          <Stack gap="sm">
            <TextInput label={t('auth.email')} type="email" autoComplete="username" autoFocus {...form.getInputProps('email')} />
            <FormError error={ask.error} />
            <Button type="submit" size="sm" loading={ask.isPending}>
              {t('forgot.send')}
            </Button>
          </Stack>
        </form>
      )}
      <Anchor size="sm" href="/admin/login">{t('auth.toSignIn')}</Anchor>
    </AuthPage>
  )
}

export function ResetPassword() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { password: '', again: '', code: '' },
    validate: {
      password: passwordProblem,
      again: (value, values) => (value === values.password ? null : t('auth.passwordsDiffer')),
    },
  })
  const reset = useMutation({
    mutationFn: (values: typeof form.values) =>
      request('POST /admin/reset-password', {
        body: {
          resetPasswordToken: parameter('code'),
          password: values.password,
          ...(values.code ? { code: values.code.trim() } : {}),
        },
      }),
    onSuccess: ({ data }) => {
      signedIn(data.token)
      void navigate({ to: '/', replace: true })
    },
  })
  return (
    <AuthPage title={t('reset.title')}>
      <form onSubmit={form.onSubmit((values) => reset.mutate(values))} noValidate>
        <Stack gap="sm">
          <NewPassword form={form} />
          <TextInput label={t('auth.code')} description={t('reset.codeHint')} autoComplete="one-time-code" {...form.getInputProps('code')} />
          <FormError error={reset.error} />
          <Button type="submit" size="sm" loading={reset.isPending}>
            {t('reset.set')}
          </Button>
        </Stack>
      </form>
    </AuthPage>
  )
}
