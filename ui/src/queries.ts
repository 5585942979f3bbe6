import { QueryClient, type Query } from '@tanstack/react-query'
import { ApiError } from './api/client'

/** Whether a server that starts again, or a moment without a network, may be the reason. */
const isPassing = ({ status, code }: ApiError): boolean => (status === 0 && code !== 'TimeoutError') || status === 502 || status === 503

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A server that restarts is asked again; what it refuses stays refused.
      retry: (count, error) => count < 3 && (!(error instanceof ApiError) || isPassing(error)),
      retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 8000),
    },
    mutations: { retry: false },
  },
})

/**
 * Load lists of entries again when they are shown next: an entry has changed, whose title lists of other types show, too.
 * One that is on its way, because somebody points at its link, may be of before the change.
 */
export async function refreshLists(): Promise<void> {
  const filters = { predicate: ({ queryKey }: Query) => queryKey[0] === 'content' && queryKey[2] === 'list' }
  await queries.cancelQueries(filters)
  await queries.invalidateQueries(filters)
}
