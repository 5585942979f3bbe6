import { KeyRound, LogIn, Mail, Settings2, Shield } from 'lucide-react'
import { useAbility } from '../api/hooks'

/** The screens of the settings, in their groups, and the permission that shows each. */
const SECTIONS = [
  { group: 'project', path: '/settings/api-tokens', key: 'settings.tokens', icon: KeyRound, needs: 'admin::api-tokens.read' },
  { group: 'endUsers', path: '/settings/end-user-roles', key: 'settings.endUserRoles', icon: Shield, needs: 'plugin::users-permissions.roles.read' },
  { group: 'endUsers', path: '/settings/providers', key: 'settings.providers', icon: LogIn, needs: 'plugin::users-permissions.providers.read' },
  { group: 'endUsers', path: '/settings/email-templates', key: 'settings.emails', icon: Mail, needs: 'plugin::users-permissions.email-templates.read' },
  { group: 'endUsers', path: '/settings/advanced', key: 'settings.advanced', icon: Settings2, needs: 'plugin::users-permissions.advanced-settings.read' },
] as const

export type Section = (typeof SECTIONS)[number]
export const GROUPS = ['project', 'endUsers'] as const

/** The screens that the administrator's permissions show; none for whoever may see no setting at all. */
export function useSections(): Section[] {
  const ability = useAbility()
  const allowed = SECTIONS.filter(({ needs }) => ability.can(needs))
  return allowed.length === 0 ? [] : [...allowed]
}
