import { Box, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../api/client'

const LONGEST_DELAY = 15_000

/** A thin bar while the network or the server is away; the server is asked until it responds. */
export function OfflineBar() {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const router = useRouter()
  const { online, serverReachable } = useSession()
  useEffect(() => {
    const update = () => useSession.setState({ online: navigator.onLine })
    window.addEventListener('online', update)
    window.addEventListener('offline', update)
    return () => {
      window.removeEventListener('online', update)
      window.removeEventListener('offline', update)
    }
  }, [])
  const away = !online || !serverReachable
  useEffect(() => {
    if (!away) return
    let delay = 1000
    let timer = 0
    const probe = async () => {
      try {
        const { status } = await fetch('/_health', { cache: 'no-store', signal: AbortSignal.timeout(LONGEST_DELAY) })
        if (status >= 500) throw new Error(`Status ${status}`)
        useSession.setState({ online: true, serverReachable: true })
        void queries.invalidateQueries()
        void router.invalidate({ filter: (match) => match.status === 'error' })
      } catch {
        delay = Math.min(delay * 1.6, LONGEST_DELAY)
        timer = window.setTimeout(() => void probe(), delay)
      }
    }
    timer = window.setTimeout(() => void probe(), delay)
    return () => window.clearTimeout(timer)
  }, [away, queries, router])
  if (!away) return null
  return (
    <Box px="md" py={5} bg="var(--mantine-color-yellow-light)" c="var(--mantine-color-yellow-light-color)" role="status">
      <Text size="xs" fw={500} c="inherit">
        {online ? t('offline.server') : t('offline.network')} {t('offline.kept')}
      </Text>
    </Box>
  )
}
