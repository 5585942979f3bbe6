import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { keys } from '../api/keys'
import { AuthPage } from './AuthPage'
import { SignInForm } from './SignInForm'

export function Login() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { to } = useSearch({ from: '/login' })
  const init = useQuery({
    queryKey: keys.init,
    queryFn: async () => (await request('GET /admin/init')).data,
  })
  if (init.data && !init.data.hasAdmin) {
    return (
      <AuthPage title={t('setup.none')}>
        <Text size="sm">{t('setup.noneHint')}</Text>
        <Text size="sm" c="dimmed">
          {t('setup.openHint')} <Anchor href="/admin/setup" inherit>{t('setup.openLink')}</Anchor>.
        </Text>
      </AuthPage>
    )
  }
  return (
    <AuthPage title={t('auth.signIn')}>
      <SignInForm withForgotten onSignedIn={() => void navigate({ href: to ?? '/', replace: true })} />
    </AuthPage>
  )
}
