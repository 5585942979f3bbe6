import { useQuery } from '@tanstack/react-query'
import { request } from '../api/client'
import { useAbility } from '../api/hooks'
import { queries } from '../queries'
import type { Granted } from './contentApi'
import { endUserRoleQuery, endUserRolesQuery, settingsKey } from './queries'

const ROLES = 'plugin::users-permissions.roles.'

/** Whether one's role may change what end users may do. */
export function useMayGrant(): boolean {
  const ability = useAbility()
  return ability.can(`${ROLES}read`) && ability.can(`${ROLES}update`)
}

/** What a role of end users grants, for administrators who may change it; without an id, that of visitors without an account. */
export function useEndUserRole(known?: number | null) {
  const mayChange = useMayGrant()
  const roles = useQuery({ ...endUserRolesQuery, enabled: mayChange })
  const id = known ?? roles.data?.find((role) => role.type === 'public')?.id
  const role = useQuery({ ...endUserRoleQuery(String(id)), enabled: mayChange && id !== undefined, staleTime: 0 })
  const actionsOn = (uid: string): Record<string, Granted> | undefined => {
    const [api = '', controller = ''] = uid.split('.')
    return role.data?.permissions?.[api]?.controllers[controller]
  }
  /** Grant actions on a type, or take them away. It takes effect at once. */
  const setActions = async (uid: string, names: readonly string[], enabled: boolean) => {
    const actions = actionsOn(uid)
    if (!role.data || !actions) return
    const [api = '', controller = ''] = uid.split('.')
    const { name, description, permissions } = role.data
    const changed = Object.fromEntries(names.map((action) => [action, { ...actions[action], enabled }]))
    const controllers = { ...permissions?.[api]?.controllers, [controller]: { ...actions, ...changed } }
    await request('PUT /users-permissions/roles/{id}', {
      path: { id: role.data.id },
      body: { name, description, permissions: { ...permissions, [api]: { controllers } } },
    })
    await queries.invalidateQueries({ queryKey: settingsKey('end-user-roles') })
  }
  return { mayChange, name: role.data?.name, actionsOn, setActions }
}
