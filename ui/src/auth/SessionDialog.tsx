import { Button, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useSession } from '../api/client'
import { keys } from '../api/keys'
import { SignInForm } from './SignInForm'

/** Sign in again over the page when the session has ended: what was typed stays. */
export function SessionDialog() {
  const { t } = useTranslation()
  const status = useSession((session) => session.status)
  const queries = useQueryClient()
  const me = queries.getQueryData<{ email: string }>(keys.me)
  return (
    <Modal opened={status === 'expired'} onClose={() => {}} withCloseButton={false} title={t('session.title')} zIndex={500}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('session.hint')}
        </Text>
        <SignInForm email={me?.email} onSignedIn={() => void queries.invalidateQueries({ queryKey: keys.me })} />
        <Button variant="subtle" color="gray" onClick={() => location.assign('/admin/login')}>
          {t('session.leave')}
        </Button>
      </Stack>
    </Modal>
  )
}
