import { Badge, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { toast, toastError } from '../components/toast'

export const JOB_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof JOB_STATES)[number]
const COLORS: Record<JobState, string> = { waiting: 'yellow', running: 'blue', done: 'green', failed: 'red', cancelled: 'gray' }

/** How many rows of a log are loaded at once. */
export const EACH = 50
/** How often what waits or runs is looked at again. */
export const REFRESHED_MS = 3000

/** The queries of what runs in the background. */
export const backgroundKey = (...rest: unknown[]) => ['background', ...rest]

export function StateBadge({ state }: { state: JobState }) {
  const { t } = useTranslation()
  return <Badge size="sm" variant="light" tt="none" miw="max-content" color={COLORS[state]}>{t(`background.state.${state}`)}</Badge>
}

/** The name of a function, with its module below it. */
export function FunctionName({ name }: { name: string }) {
  const at = name.lastIndexOf('.')
  return (
    <>
      {name.slice(at + 1)}
      {at > 0 && <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>{name.slice(0, at)}</Text>}
    </>
  )
}

/** Do something with what runs in the background, say so, and load all of it again. */
export function useBackgroundAction<Id>(send: (id: Id) => Promise<unknown>, done: string): (id: Id) => void {
  const queries = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: send,
    onSuccess: () => toast(done),
    onError: (error) => toastError(error),
    // Also after an error: somebody else may have changed it before.
    onSettled: () => queries.invalidateQueries({ queryKey: backgroundKey() }),
  })
  return mutate
}
