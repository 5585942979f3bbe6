import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/client'
import type { EntrySchedule, Release, ReleaseDetail, ScheduledAction } from '../api/generated'
import { queries } from '../queries'

export type ReleaseState = 'open' | 'done'
export type ItemAction = 'publish' | 'unpublish'
/** An entry to be added to a release; `locale` is null where the type has no locales. */
export type ReleaseEntry = { contentType: string; documentId: string; locale: string | null }

const KEY = 'releases'
export const PAGE_SIZE = 25

export const releasesQuery = (state: ReleaseState, page: number) =>
  queryOptions({
    queryKey: [KEY, 'list', state, page],
    queryFn: () => request('GET /admin/x/releases', { query: { state, page, pageSize: PAGE_SIZE } }),
  })

/** The open releases that an entry can be added to: as many as there may be. */
export const openReleasesQuery = queryOptions({
  queryKey: [KEY, 'open'],
  queryFn: async (): Promise<Release[]> => (await request('GET /admin/x/releases', { query: { state: 'open', pageSize: 100 } })).data,
})

export const releaseQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, 'one', id],
    queryFn: async (): Promise<ReleaseDetail> => (await request('GET /admin/x/releases/{id}', { path: { id } })).data,
  })

export const entryReleasesQuery = (uid: string, id: string, locale: string | undefined) =>
  queryOptions({
    queryKey: [KEY, 'of', uid, id, locale ?? null],
    queryFn: async () => (await request('GET /admin/x/entry-releases/{uid}/{id}', { path: { uid, id }, query: { locale } })).data,
  })

export const scheduleQuery = queryOptions({
  queryKey: [KEY, 'schedule'],
  queryFn: async (): Promise<ScheduledAction[]> => (await request('GET /admin/x/schedule')).data,
})

export const entryScheduleQuery = (uid: string, id: string, locale: string | undefined) =>
  queryOptions({
    queryKey: ['schedule', uid, id, locale ?? null],
    queryFn: async (): Promise<EntrySchedule> => (await request('GET /admin/x/schedule/{uid}/{id}', { path: { uid, id }, query: { locale } })).data,
  })

export function scheduleChanged(uid: string, id: string, locale: string | undefined, schedule: EntrySchedule): void {
  queries.setQueryData(entryScheduleQuery(uid, id, locale).queryKey, schedule)
  void queries.invalidateQueries({ queryKey: scheduleQuery.queryKey })
}

/** Load again what shows releases; `release` is what a change has answered with. */
export function releaseChanged(release?: ReleaseDetail): void {
  if (release) queries.setQueryData(releaseQuery(release.id).queryKey, release)
  void queries.invalidateQueries({ queryKey: [KEY] })
}

/** Load again what shows the status of entries. */
export function entriesPublished(): void {
  void queries.invalidateQueries({ queryKey: ['content'] })
  void queries.invalidateQueries({ queryKey: ['home'] })
}
