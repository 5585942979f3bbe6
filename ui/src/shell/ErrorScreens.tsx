import { Anchor, Stack, Text, Title } from '@mantine/core'
import { useParams, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { modelQuery } from '../api/hooks'
import { ErrorState } from '../components/States'
import { queries } from '../queries'
import { OfflineBar } from './OfflineBar'

/** What stands in place of a screen that cannot be shown: its name, what failed, and what to do. */
export function ScreenError({ error, reset, outside }: ErrorComponentProps & { outside?: boolean }) {
  const { t } = useTranslation()
  const router = useRouter()
  const { uid } = useParams({ strict: false })
  const type = uid === undefined ? undefined : queries.getQueryData(modelQuery.queryKey)?.types.get(uid)
  return (
    <>
      {outside && <OfflineBar />}
      <Stack p={{ base: 'sm', sm: 'lg' }} align="flex-start" component={outside ? 'main' : 'div'}>
        <Title order={1}>{outside ? t('error.outside') : (type?.info.displayName ?? t('error.screen'))}</Title>
        <ErrorState
          error={error}
          retry={() => {
            void queries.resetQueries().then(() => router.invalidate())
            reset()
          }}
        />
        <Anchor href="/admin/" size="sm">{t('nav.home')}</Anchor>
      </Stack>
    </>
  )
}

export function NotFound({ outside }: { outside?: boolean }) {
  const { t } = useTranslation()
  return (
    <Stack p={{ base: 'sm', sm: 'lg' }} gap="xs" component={outside ? 'main' : 'div'}>
      <Title order={1}>{t('error.noPage')}</Title>
      <Text size="sm">{t('error.noPageHint')}</Text>
      <Anchor href="/admin/" size="sm">{t('nav.home')}</Anchor>
    </Stack>
  )
}
