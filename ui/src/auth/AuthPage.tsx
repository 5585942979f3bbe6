import { Alert, Center, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../api/client'
import { messageOf } from '../components/errors'

/** The frame of screens for people who are not signed in. */
export function AuthPage({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  useDocumentTitle(`${title} · Quire`)
  return (
    <Center mih="100dvh" component="main" p="md">
      <Stack w="100%" maw={380} gap="md">
        <Paper withBorder p="xl" bg="var(--quire-surface)">
          <Stack gap="md">
            <div>
              <Title order={1}>{title}</Title>
              {hint && (
                <Text size="sm" c="dimmed" mt={4}>
                  {hint}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  )
}

/** An error of the form as a whole; a rate limit counts down. */
export function FormError({ error }: { error: unknown }) {
  const { t } = useTranslation()
  const [left, setLeft] = useState(0)
  const limit = error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? 0) : 0
  useEffect(() => {
    const end = Date.now() + limit * 1000
    const update = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)))
    update()
    if (limit === 0) return
    const timer = setInterval(update, 500)
    return () => clearInterval(timer)
  }, [error, limit])
  if (!error) return null
  const isLimited = error instanceof ApiError && error.status === 429
  const wait = left > 0 ? t('auth.limited', { duration: duration(left) }) : t('auth.limitOver')
  return (
    <Alert color="red" variant="light" p="xs" role="alert">
      <Text size="sm" c="inherit">
        {isLimited ? wait : messageOf(error)}
      </Text>
    </Alert>
  )
}

function duration(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
