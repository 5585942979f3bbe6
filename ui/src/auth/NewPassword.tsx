import { PasswordInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'

type PasswordForm = { getInputProps: (name: 'password' | 'again') => object }

/** A new password, twice. */
export function NewPassword({ form }: { form: PasswordForm }) {
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
