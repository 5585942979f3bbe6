import { Box, Skeleton, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { OfflineBar } from './OfflineBar'

/** A screen whose code or data is on the way. */
export function ScreenSkeleton() {
  const { t } = useTranslation()
  return (
    <Stack p={{ base: 'sm', sm: 'lg' }} gap="sm" role="status" aria-busy="true" aria-label={t('state.loading')}>
      <Skeleton height={30} width={240} />
      <Skeleton height={30} />
      <div className="quire-rows">
        {Array.from({ length: 10 }, (_, index) => <Skeleton key={index} height={34} />)}
      </div>
    </Stack>
  )
}

/** The whole page, before it is known who is signed in. */
export function ShellSkeleton() {
  return (
    <Box className="quire-shell-skeleton">
      <Stack p="sm" gap={10} visibleFrom="sm">
        {Array.from({ length: 9 }, (_, index) => <Skeleton key={index} height={index === 1 ? 30 : 20} />)}
      </Stack>
      <Box component="main">
        <OfflineBar />
        <ScreenSkeleton />
      </Box>
    </Box>
  )
}
