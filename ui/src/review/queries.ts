import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/client'
import type { Assignee, EntryReview, ReviewWorkflow } from '../api/generated'

const KEY = 'review'

export const workflowsQuery = queryOptions({
  queryKey: [KEY, 'workflows'],
  staleTime: 60_000,
  queryFn: async (): Promise<ReviewWorkflow[]> => (await request('GET /admin/x/review/workflows')).data,
})

export const entryReviewQuery = (uid: string, id: string, locale: string | undefined) =>
  queryOptions({
    queryKey: [KEY, 'entry', uid, id, locale ?? null],
    queryFn: async (): Promise<EntryReview | null> => (await request('GET /admin/x/review/entries/{uid}/{id}', { path: { uid, id }, query: { locale } })).data,
  })

export const assigneesQuery = (uid: string) =>
  queryOptions({
    queryKey: [KEY, 'assignees', uid],
    staleTime: 60_000,
    queryFn: async (): Promise<Assignee[]> => (await request('GET /admin/x/review/assignees/{uid}', { path: { uid } })).data,
  })

/** All that shows workflows, stages and assignees. */
export const reviewKey = [KEY]
