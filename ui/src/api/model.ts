import { queryOptions } from '@tanstack/react-query'
import type { SchemaBody } from '../model/changes'
import type { ServerSchema } from '../model/draft'
import { request } from './client'
import type { Operations } from './generated'
import { keys } from './keys'
import type { ViewConfiguration } from './types'

export type Plan = Operations['POST /admin/x/model/plan']['response']['data']
export type Removed = Operations['GET /admin/x/model/archive']['response']['data'][number]
export type ReservedNames = Operations['GET /content-type-builder/reserved-names']['response']

export const fetchSchema = async (): Promise<ServerSchema> =>
  (await request('GET /content-type-builder/schema')).data as unknown as ServerSchema

export const reservedNamesQuery = queryOptions({
  queryKey: [...keys.builder, 'reserved'],
  staleTime: Infinity,
  queryFn: () => request('GET /content-type-builder/reserved-names'),
})

/** Whether the schema files can be changed, and why not. */
export const modelStateQuery = queryOptions({
  queryKey: [...keys.builder, 'state'],
  queryFn: async () => (await request('GET /admin/x/model/state')).data,
})

export const planKey = [...keys.builder, 'plan']

/** What a change would do; nothing is done. */
export const planQuery = (body: SchemaBody) =>
  queryOptions({
    queryKey: [...planKey, body],
    staleTime: 10_000,
    gcTime: 60_000,
    queryFn: async ({ signal }) => (await request('POST /admin/x/model/plan', { body, signal })).data,
  })

/** Change the model. Without `digest` the server refuses whatever would remove content. */
export const updateSchema = (body: SchemaBody, digest?: string): Promise<unknown> =>
  request('POST /content-type-builder/update-schema', {
    body,
    query: digest ? { plan: digest, mayLose: true } : { mayLose: false },
  })

export const removedQuery = queryOptions({
  queryKey: [...keys.builder, 'removed'],
  queryFn: async () => (await request('GET /admin/x/model/archive')).data,
})

export const restoreRemoved = async (id: number): Promise<number> =>
  (await request('POST /admin/x/model/archive/{id}/restore', { path: { id } })).data.count

export const forgetRemoved = (id: number): Promise<unknown> =>
  request('DELETE /admin/x/model/archive/{id}', { path: { id } })

export const saveConfiguration = (
  uid: string,
  body: Operations['PUT /content-manager/content-types/{uid}/configuration']['body'],
): Promise<unknown> => request('PUT /content-manager/content-types/{uid}/configuration', { path: { uid }, body })

export const componentConfigurationQuery = (uid: string) =>
  queryOptions({
    queryKey: keys.componentConfiguration(uid),
    queryFn: async () =>
      (await request('GET /content-manager/components/{uid}/configuration', { path: { uid } })).data.component as unknown as ViewConfiguration,
  })

export const saveComponentConfiguration = (
  uid: string,
  body: Operations['PUT /content-manager/components/{uid}/configuration']['body'],
): Promise<unknown> => request('PUT /content-manager/components/{uid}/configuration', { path: { uid }, body })

/** Make entries with made-up values, in the default locale. */
export const createSamples = async (uid: string, body: Operations['POST /admin/x/samples/{uid}']['body']) =>
  (await request('POST /admin/x/samples/{uid}', { path: { uid }, body })).data
