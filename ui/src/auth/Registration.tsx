import { Alert, Anchor, Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { request, signedIn } from '../api/client'
import { AuthPage, FormError } from './AuthPage'
import { deviceId } from './device'
import { linkParameter } from './linkParameter'
import { NewPassword } from './NewPassword'
import { passwordProblem } from './passwords'

/** Somebody who was invited chooses a password. */
export function AcceptInvitation() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const registrationToken = linkParameter('registrationToken')
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
          resetPasswordToken: linkParameter('code'),
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
