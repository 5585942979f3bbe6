import { Anchor, Button, Checkbox, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, request, SAVE_MS, signedIn } from '../api/client'
import { messageOf } from '../components/errors'
import { loadSignedIn } from '../shell/loadSignedIn'
import { FormError } from './AuthPage'
import { deviceId } from './device'

type Props = { email?: string; onSignedIn: () => void; withForgotten?: boolean }

/** E-mail and password, then the code of a second factor where the account has one. */
export function SignInForm({ email, onSignedIn, withForgotten }: Props) {
  const { t } = useTranslation()
  const [needsCode, setNeedsCode] = useState(false)
  const [byRecovery, setByRecovery] = useState(false)
  const codeField = useRef<HTMLInputElement>(null)
  const form = useForm({
    initialValues: { email: email ?? '', password: '', rememberMe: false, code: '' },
    validate: {
      email: (value) => (value ? null : t('form.required')),
      password: (value) => (value ? null : t('form.required')),
    },
  })
  const signIn = useMutation({
    mutationFn: (values: typeof form.values) =>
      request('POST /admin/login', {
        timeout: SAVE_MS,
        body: {
          email: values.email,
          password: values.password,
          rememberMe: values.rememberMe,
          deviceId: deviceId(),
          ...(needsCode ? { code: values.code.trim() } : {}),
        },
      }),
    onSuccess: ({ data }) => {
      signedIn(data.token)
      onSignedIn()
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'SecondFactorError') {
        setNeedsCode(true)
        return
      }
      if (error instanceof ApiError && error.status === 400 && !needsCode) {
        form.setFieldError('password', messageOf(error))
      }
    },
  })
  useEffect(() => {
    if (needsCode) codeField.current?.focus()
  }, [needsCode, byRecovery])

  const isShownAtField = signIn.error instanceof ApiError && (signIn.error.status === 400 && !needsCode)
  const isFirstDemand = signIn.error instanceof ApiError && signIn.error.code === 'SecondFactorError'
  return (
    // What comes next is loaded while somebody types.
    <form onInput={() => void loadSignedIn().catch(() => undefined)} onSubmit={form.onSubmit((values) => signIn.mutate(values))} noValidate>
      <Stack gap="sm">
        {!needsCode && (
          <>
            <TextInput
              label={t('auth.email')}
              type="email"
              autoComplete="username"
              data-autofocus={email ? undefined : true}
              autoFocus={!email}
              readOnly={Boolean(email)}
              {...form.getInputProps('email')}
            />
            <PasswordInput
              label={t('auth.password')}
              autoComplete="current-password"
              data-autofocus={email ? true : undefined}
              autoFocus={Boolean(email)}
              visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
              {...form.getInputProps('password')}
            />
            <Group justify="space-between">
              <Checkbox size="xs" styles={{ label: { fontSize: 'var(--mantine-font-size-sm)' } }} label={t('auth.remember')} {...form.getInputProps('rememberMe', { type: 'checkbox' })} />
              {withForgotten && (
                <Anchor size="sm" href="/admin/auth/forgot-password">
                  {t('auth.forgot')}
                </Anchor>
              )}
            </Group>
          </>
        )}
        {needsCode && (
          <>
            <TextInput
              ref={codeField}
              label={byRecovery ? t('auth.recoveryCode') : t('auth.code')}
              description={byRecovery ? t('auth.recoveryCodeHint') : t('auth.codeHint')}
              inputMode={byRecovery ? 'text' : 'numeric'}
              autoComplete="one-time-code"
              {...form.getInputProps('code')}
            />
            <Anchor component="button" type="button" size="sm" ta="left" onClick={() => setByRecovery(!byRecovery)}>
              {byRecovery ? t('auth.useApp') : t('auth.useRecovery')}
            </Anchor>
          </>
        )}
        {!isShownAtField && !isFirstDemand && <FormError error={signIn.error} />}
        <Button type="submit" size="sm" loading={signIn.isPending}>
          {t('auth.signIn')}
        </Button>
      </Stack>
    </form>
  )
}
