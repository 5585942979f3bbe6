export type Permission = {
  action: string
  subject: string | null
  properties: { fields?: string[] | null; locales?: string[] | null }
  conditions: string[]
}

export type ContentAction = 'create' | 'read' | 'update' | 'delete' | 'publish'

const EXPLORER = 'plugin::content-manager.explorer.'

export type Ability = {
  /** Whether an action may be taken at all. */
  can(action: string, subject?: string | null): boolean
  /** Whether an action on entries of a type may be taken, in a locale if one is given. */
  canContent(action: ContentAction, uid: string, locale?: string | null): boolean
  /** Whether an action may be taken on some entries of a type alone, such as those that one has created. */
  isConditional(action: ContentAction, uid: string): boolean
  /** Whether a field may be seen or written; `path` is that of the attribute, without indexes. */
  canField(action: 'create' | 'read' | 'update', uid: string, path: string): boolean
}

/** Gather permissions as the server judges them: each holds as a whole, several add up. */
export function permissionsOf(permissions: Permission[]): Ability {
  const by = new Map<string, Permission[]>()
  for (const one of permissions) {
    const key = `${one.action} ${one.subject ?? ''}`
    by.set(key, [...(by.get(key) ?? []), one])
  }
  const find = (action: string, subject: string | null) => by.get(`${action} ${subject ?? ''}`) ?? []
  return {
    can: (action, subject = null) => find(action, subject).length > 0,
    canContent: (action, uid, locale) =>
      find(EXPLORER + action, uid).some((one) => {
        const locales = one.properties.locales
        return !locale || !locales || locales.includes(locale)
      }),
    isConditional: (action, uid) => {
      const granted = find(EXPLORER + action, uid)
      return granted.length > 0 && granted.every((one) => one.conditions.length > 0)
    },
    canField: (action, uid, path) =>
      find(EXPLORER + action, uid).some((one) => {
        const fields = one.properties.fields
        return (
          !fields ||
          fields.some((field) => field === path || field.startsWith(`${path}.`) || path.startsWith(`${field}.`))
        )
      }),
  }
}
