import type { Model } from '../api/hooks'
import type { MatrixRow } from '../components/PermissionMatrix'
import { i18next } from '../i18n'

type Tree<Leaf> = Record<string, { controllers: Record<string, Leaf> }>
export type Route = { method: string; path: string; handler: string }
export type Listed = Tree<string[]>
export type Granted = { enabled: boolean; policy?: string; rule?: Record<string, unknown> | null }
export type RolePermissions = Tree<Record<string, Granted>>

export const CONTENT_ACTIONS = ['find', 'findOne', 'create', 'update', 'delete'] as const
const WRITES = /\.(create|update|delete|destroy|upload)$/

export type OtherActions = { api: string; actions: { uid: string; label: string; isNamed: boolean; routes: string[] }[] }
export type Catalogue = { types: MatrixRow[]; others: OtherActions[]; routes: Map<string, string[]> }

/** The actions of the content API: those on content types as a table, and all others by plugin or API. */
export function catalogueOf(listed: Listed, routes: Record<string, Route[]>, model: Model): Catalogue {
  const addresses = addressesOf(routes)
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
        const key = `permission.${`${uid}.${action}`.replace('plugin::', '')}`
        const isNamed = i18next.exists(key)
        const label = isNamed ? i18next.t(key as 'permission.email.email.send') : `${controller}.${action}`
        rest.actions.push({ uid: `${uid}.${action}`, label, isNamed, routes: addresses.get(`${uid}.${action}`) ?? [] })
      }
    }
    if (rest.actions.length > 0) others.push(rest)
  }
  types.sort((a, b) => a.label.localeCompare(b.label))
  return { types, others, routes: addresses }
}

/** The requests of each action. Routes of plugins name it without their plugin. */
function addressesOf(routes: Record<string, Route[]>): Map<string, string[]> {
  const addresses = new Map<string, string[]>()
  for (const [api, of] of Object.entries(routes)) {
    for (const { method, path, handler } of of) {
      const uid = handler.includes('::') ? handler : `${api}.${handler}`
      addresses.set(uid, [...(addresses.get(uid) ?? []), `${method} ${path}`])
    }
  }
  return addresses
}

/** The name of an action of the catalogue for people. */
export function nameOfAction(uid: string, { types, others }: Catalogue): string {
  const type = types.find((row) => uid.startsWith(`${row.id}.`))
  if (type) return `${type.label}: ${uid.slice(type.id.length + 1)}`
  return others.flatMap(({ actions }) => actions).find((one) => one.uid === uid)?.label ?? uid
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
