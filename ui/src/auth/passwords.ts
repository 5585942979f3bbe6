import { t } from '../i18n'

const LONGEST = 72

/** Return what is wrong with a new password, by the server's rules. */
export function passwordProblem(value: string): string | null {
  if (value.length < 8) return t('auth.passwordShort')
  if (new TextEncoder().encode(value).length > LONGEST) return t('auth.passwordLong')
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/\d/.test(value)) return t('auth.passwordRules')
  return null
}
