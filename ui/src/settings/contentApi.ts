import type { Model } from '../api/hooks'
import type { MatrixRow } from '../components/PermissionMatrix'

type Tree<Leaf> = Record<string, { controllers: Record<string, Leaf> }>
export type Route = { method: string; path: string; handler: string }
export type Listed = Tree<string[]>
export type Granted = { enabled: boolean; policy?: string; rule?: Record<string, unknown> | null }
export type RolePermissions = Tree<Record<string, Granted>>

export const CONTENT_ACTIONS = ['find', 'findOne', 'create', 'update', 'delete'] as const
const WRITES = /\.(create|update|delete|destroy|upload)$/

export type OtherActions = { api: string; actions: { uid: string; label: string; route?: string }[] }
export type Catalogue = { types: MatrixRow[]; others: OtherActions[]; routes: Map<string, string> }

/** The actions of the content API: those on content types as a table, and all others by plugin or API. */
export function catalogueOf(listed: Listed, routes: Record<string, Route[]>, model: Model): Catalogue {
  const addresses = new Map(Object.values(routes).flat().map((one) => [one.handler, `${one.method} ${one.path}`]))
  const types: MatrixRow[] = []
  const others: OtherActions[] = []
  for (const [api, { controllers }] of Object.entries(listed)) {
    const rest: OtherActions = { api, actions: [] }
    for (const [controller, actions] of Object.entries(controllers)) {
      const uid = `${api}.${controller}`
      const type = api.startsWith('api::') ? model.types.get(uid) : undefined
      const common = type ? CONTENT_ACTIONS.filter((action) => actions.includes(action)) : []
      if (type) types.push({ id: uid, label: type.info.displayName, actions: common })
      for (const action of actions) {
        if (common.some((one) => one === action)) continue
        const route = addresses.get(`${uid}.${action}`)
        rest.actions.push({ uid: `${uid}.${action}`, label: `${controller}.${action}`, route })
      }
    }
    if (rest.actions.length > 0) others.push(rest)
  }
  types.sort((a, b) => a.label.localeCompare(b.label))
  return { types, others, routes: addresses }
}

/** The names of actions in the permissions of a role. */
export function listedOf(permissions: RolePermissions): Listed {
  return Object.fromEntries(
    Object.entries(permissions).map(([api, { controllers }]) => [
      api,
      { controllers: Object.fromEntries(Object.entries(controllers).map(([name, actions]) => [name, Object.keys(actions)])) },
    ]),
  )
}

/** The actions that a role grants. */
export function grantedOf(permissions: RolePermissions): Set<string> {
  const found = new Set<string>()
  for (const [api, { controllers }] of Object.entries(permissions))
    for (const [controller, actions] of Object.entries(controllers))
      for (const [action, { enabled }] of Object.entries(actions)) if (enabled) found.add(`${api}.${controller}.${action}`)
  return found
}

/** Actions by which visitors could change content, files or accounts. */
export const writesOf = (granted: ReadonlySet<string>): string[] => [...granted].filter((uid) => WRITES.test(uid)).sort()
