import { Anchor, Container, Stack, Text, Title } from '@mantine/core'
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ErrorState } from '../components/States'
import { queries } from '../queries'

/** What a screen that cannot be shown says, with the id of the request that failed. */
export function ScreenError({ error, reset, outside }: ErrorComponentProps & { outside?: boolean }) {
  const { t } = useTranslation()
  const router = useRouter()
  return (
    <Container size="sm" py="xl" component={outside ? 'main' : 'div'}>
      <Stack>
        <Title order={1}>{t('error.screen')}</Title>
        <ErrorState
          error={error}
          retry={() => {
            void queries.resetQueries().then(() => router.invalidate())
            reset()
          }}
        />
        <Anchor href="/admin/">{t('nav.home')}</Anchor>
      </Stack>
    </Container>
  )
}

export function NotFound({ outside }: { outside?: boolean }) {
  const { t } = useTranslation()
  return (
    <Container size="sm" py="xl" component={outside ? 'main' : 'div'}>
      <Stack gap="xs">
        <Title order={1}>{t('error.noPage')}</Title>
        <Text size="sm">{t('error.noPageHint')}</Text>
        <Anchor href="/admin/">{t('nav.home')}</Anchor>
      </Stack>
    </Container>
  )
}
