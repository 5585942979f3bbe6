import { Eye, FileImage, Globe, Info, KeyRound, ListChecks, LogIn, Mail, Settings2, Shield, ShieldCheck, UserRound, Webhook } from 'lucide-react'
import { useAbility } from '../api/hooks'

/** The screens of the settings, in their groups, and the permission that shows each. */
const SECTIONS = [
  { group: 'project', path: '/settings/api-tokens', key: 'settings.tokens', icon: KeyRound, needs: 'admin::api-tokens.read' },
  { group: 'project', path: '/settings/webhooks', key: 'settings.webhooks', icon: Webhook, needs: 'admin::webhooks.read' },
  { group: 'project', path: '/settings/locales', key: 'settings.locales', icon: Globe, needs: 'plugin::i18n.locale.read' },
  { group: 'project', path: '/settings/review-workflows', key: 'settings.workflows', icon: ListChecks, needs: 'admin::project-settings.read' },
  { group: 'project', path: '/settings/media', key: 'settings.media', icon: FileImage, needs: 'plugin::upload.settings.read' },
  { group: 'project', path: '/settings/previews', key: 'settings.previews', icon: Eye, needs: 'admin::project-settings.update' },
  { group: 'project', path: '/settings/project', key: 'settings.project', icon: Info, needs: null },
  { group: 'admins', path: '/settings/users', key: 'settings.people', icon: UserRound, needs: 'admin::users.read' },
  { group: 'admins', path: '/settings/roles', key: 'settings.roles', icon: ShieldCheck, needs: 'admin::roles.read' },
  { group: 'endUsers', path: '/settings/end-user-roles', key: 'settings.endUserRoles', icon: Shield, needs: 'plugin::users-permissions.roles.read' },
  { group: 'endUsers', path: '/settings/providers', key: 'settings.providers', icon: LogIn, needs: 'plugin::users-permissions.providers.read' },
  { group: 'endUsers', path: '/settings/email-templates', key: 'settings.emails', icon: Mail, needs: 'plugin::users-permissions.email-templates.read' },
  { group: 'endUsers', path: '/settings/advanced', key: 'settings.advanced', icon: Settings2, needs: 'plugin::users-permissions.advanced-settings.read' },
] as const

export type Section = (typeof SECTIONS)[number]
export const GROUPS = ['project', 'admins', 'endUsers'] as const

/** The screen at a path below `/admin`, whoever may see it. */
export const sectionAt = (pathname: string): Section | undefined => SECTIONS.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`))

/** The screens that the administrator's permissions show; none for whoever may see no setting at all. */
export function useSections(): Section[] {
  const ability = useAbility()
  const shown = SECTIONS.filter(({ needs }) => needs === null || ability.can(needs))
  return shown.every(({ needs }) => needs === null) ? [] : shown
}
