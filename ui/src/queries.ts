import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api/client'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A server that restarts is asked again; what it refuses stays refused.
      retry: (count, error) => count < 3 && (!(error instanceof ApiError) || error.status === 0 || error.status === 503),
      retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 8000),
    },
    mutations: { retry: false },
  },
})
