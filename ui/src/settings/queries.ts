import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/client'
import type { AdminApiToken, AdminRole, Administrator, Webhook } from '../api/generated'
import type { Listed, RolePermissions, Route } from './contentApi'

/** What the settings screens ask the server for. Their keys begin with `settings`. */
export const settingsKey = (...rest: (string | number)[]) => ['settings', ...rest]

type Information = { currentEnvironment?: string; quireVersion?: string; strapiVersion?: string; pythonVersion?: string; database?: string; docsUrl?: string | null }

export const informationQuery = queryOptions({
  queryKey: settingsKey('information'),
  staleTime: Infinity,
  queryFn: async () => (await request('GET /admin/information')).data as Information,
})
export const tokensQuery = queryOptions({
  queryKey: settingsKey('tokens'),
  queryFn: async () => (await request('GET /admin/api-tokens')).data,
})
export const tokenQuery = (id: string) =>
  queryOptions({
    queryKey: settingsKey('tokens', id),
    queryFn: async (): Promise<AdminApiToken> => (await request('GET /admin/api-tokens/{id}', { path: { id } })).data,
  })
export const tokenActionsQuery = queryOptions({
  queryKey: settingsKey('token-actions'),
  queryFn: async () => {
    const [listed, routes] = await Promise.all([request('GET /admin/content-api/permissions'), request('GET /admin/content-api/routes')])
    return { listed: listed.data as unknown as Listed, routes: routes.data as unknown as Record<string, Route[]> }
  },
})

export type EndUserRole = { id: number; name: string; description: string; type: string; nb_users?: number; permissions?: RolePermissions }

export const endUserRolesQuery = queryOptions({
  queryKey: settingsKey('end-user-roles'),
  queryFn: async () => (await request('GET /users-permissions/roles')).roles as EndUserRole[],
})
export const endUserRoleQuery = (id: string) =>
  queryOptions({
    queryKey: settingsKey('end-user-roles', id),
    queryFn: async () => {
      if (id !== 'new') return (await request('GET /users-permissions/roles/{id}', { path: { id } })).role as EndUserRole
      const { permissions } = await request('GET /users-permissions/permissions')
      return { id: 0, name: '', description: '', type: '', permissions: permissions as RolePermissions }
    },
  })
export const endUserRoutesQuery = queryOptions({
  queryKey: settingsKey('end-user-routes'),
  queryFn: async () => (await request('GET /users-permissions/routes')).routes as Record<string, Route[]>,
})

export const rolesQuery = queryOptions({
  queryKey: settingsKey('roles'),
  queryFn: async (): Promise<AdminRole[]> => (await request('GET /admin/roles')).data,
})
export const administratorsQuery = (page: number, words: string) =>
  queryOptions({
    queryKey: settingsKey('people', page, words),
    queryFn: async () => (await request('GET /admin/users', { query: { page, pageSize: 50, sort: 'firstname:ASC', _q: words || undefined } })).data,
  })
export const personQuery = (id: string) =>
  queryOptions({
    queryKey: settingsKey('people', id),
    queryFn: async (): Promise<Administrator> => (await request('GET /admin/users/{id}', { path: { id } })).data,
  })
export const webhooksQuery = queryOptions({
  queryKey: settingsKey('webhooks'),
  queryFn: async (): Promise<Webhook[]> => (await request('GET /admin/webhooks')).data,
})
export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: settingsKey('webhooks', id),
    queryFn: async (): Promise<Webhook> => (await request('GET /admin/webhooks/{id}', { path: { id } })).data,
  })
export const isoLocalesQuery = queryOptions({
  queryKey: settingsKey('iso-locales'),
  staleTime: Infinity,
  queryFn: async () => await request('GET /i18n/iso-locales'),
})
