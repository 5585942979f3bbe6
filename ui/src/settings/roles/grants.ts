import type { AdminPermission, PermissionPayload } from '../../api/generated'
import type { CellState, MatrixRow } from '../../components/PermissionMatrix'

/** What administrators may do with content, as the table of a role has it. */
export const EXPLORER = 'plugin::content-manager.explorer.'
export const CONTENT_VERBS = ['create', 'read', 'update', 'delete', 'publish'] as const
type Verb = (typeof CONTENT_VERBS)[number]

type Property = { label: string; value: string; children?: Property[] }
export type Subject = { uid: string; label: string; properties: Property[] }
type ContentAction = { label: string; actionId: string; subjects: string[]; applyToProperties: string[] }
export type OtherAction = { displayName: string; action: string; subCategory: string; plugin?: string; category?: string }
export type Catalogue = {
  conditions: { id: string; displayName: string }[]
  sections: {
    plugins: OtherAction[]
    settings: OtherAction[]
    collectionTypes: { actions: ContentAction[]; subjects: Subject[] }
    singleTypes: { actions: ContentAction[]; subjects: Subject[] }
  }
}

export type Grant = { fields: ReadonlySet<string>; locales: ReadonlySet<string>; conditions: string[] }
/** Grants by verb and content type, and the other actions with their conditions. */
export type Grants = { content: ReadonlyMap<string, Grant>; others: ReadonlyMap<string, string[]> }

const keyOf = (uid: string, verb: string) => `${verb} ${uid}`

/** The parts of a type that grants name: its fields without parts of their own, and the locales. */
export type Parts = { fields: string[]; locales: string[]; verbs: Verb[]; applies: Record<string, string[]> }

export function partsOf(subject: Subject, actions: ContentAction[]): Parts {
  const leaves = (all: Property[], prefix: string): string[] =>
    all.flatMap((one) => (one.children?.length ? leaves(one.children, `${prefix}${one.value}.`) : [prefix + one.value]))
  const of = (name: string) => leaves(subject.properties.find((one) => one.value === name)?.children ?? [], '')
  const mine = actions.filter((action) => action.subjects.includes(subject.uid))
  const verbs = CONTENT_VERBS.filter((verb) => mine.some((action) => action.actionId === EXPLORER + verb))
  const applies = Object.fromEntries(
    verbs.map((verb) => [verb, mine.find((action) => action.actionId === EXPLORER + verb)?.applyToProperties ?? []]),
  )
  return { fields: of('fields'), locales: of('locales'), verbs, applies }
}

/** Read the permissions of a role. Fields that are not named are all of them, as the server has it. */
export function grantsOf(permissions: AdminPermission[], parts: ReadonlyMap<string, Parts>): Grants {
  const content = new Map<string, Grant>()
  const others = new Map<string, string[]>()
  for (const one of permissions) {
    const known = one.subject ? parts.get(one.subject) : undefined
    if (!one.subject) others.set(one.action, one.conditions)
    // The server takes none about a type that the project has no longer.
    else if (known) {
      const { fields, locales } = one.properties as { fields?: string[] | null; locales?: string[] | null }
      const named = (leaf: string) => !fields || fields.some((field) => field === leaf || leaf.startsWith(`${field}.`))
      content.set(keyOf(one.subject, one.action.replace(EXPLORER, '')), {
        fields: new Set(known.fields.filter(named)),
        locales: new Set(known.locales.filter((locale) => !locales || locales.includes(locale))),
        conditions: one.conditions,
      })
    }
  }
  return { content, others }
}

/** The permissions as they are sent: together they replace what the role granted before. */
export function permissionsOf(grants: Grants, parts: ReadonlyMap<string, Parts>): PermissionPayload[] {
  const content = [...grants.content].map(([key, grant]) => {
    const [verb = '', subject = ''] = key.split(' ')
    const applies = parts.get(subject)?.applies[verb] ?? []
    const isLocalized = (parts.get(subject)?.locales.length ?? 0) > 0
    return {
      action: EXPLORER + verb,
      subject,
      properties: {
        ...(applies.includes('fields') ? { fields: [...grant.fields] } : {}),
        ...(applies.includes('locales') && isLocalized ? { locales: [...grant.locales] } : {}),
      },
      conditions: grant.conditions,
    }
  })
  const others = [...grants.others].map(([action, conditions]) => ({ action, subject: null, properties: {}, conditions }))
  return [...content, ...others]
}

/** The rows of the table: a type, below it its fields and locales. `row` ids are `uid`, `uid#field` and `uid@locale`. */
export function rowsOf(subjects: Subject[], parts: ReadonlyMap<string, Parts>, labelOf: (uid: string) => string): MatrixRow[] {
  const rowOf = (subject: Subject): MatrixRow => {
    const { verbs, applies } = parts.get(subject.uid)!
    const having = (name: string) => verbs.filter((verb) => applies[verb]?.includes(name))
    const rows = (all: Property[], mark: string, name: string, prefix = ''): MatrixRow[] =>
      all.map((one) => ({
        id: subject.uid + mark + prefix + one.value,
        label: one.label,
        actions: having(name),
        children: one.children?.length ? rows(one.children, mark, name, `${prefix}${one.value}.`) : undefined,
      }))
    return {
      id: subject.uid,
      label: labelOf(subject.uid),
      actions: verbs,
      children: [
        ...rows(subject.properties.find((one) => one.value === 'locales')?.children ?? [], '@', 'locales'),
        ...rows(subject.properties.find((one) => one.value === 'fields')?.children ?? [], '#', 'fields'),
      ],
    }
  }
  return subjects.map(rowOf).sort((a, b) => a.label.localeCompare(b.label))
}

/** Whether a cell is granted wholly, in part, or not. */
export function stateOf(grants: Grants, parts: ReadonlyMap<string, Parts>, row: string, verb: string): CellState {
  const [uid = '', mark, path = ''] = row.split(/([#@])(.*)/s)
  const grant = grants.content.get(keyOf(uid, verb))
  const { fields = [], locales = [], applies = {} } = parts.get(uid) ?? {}
  if (!grant) return 'off'
  const share = (all: string[], held: ReadonlySet<string>): CellState => {
    const count = all.filter((one) => held.has(one)).length
    return count === all.length ? 'on' : count === 0 ? 'off' : 'some'
  }
  if (mark === '@') return grant.locales.has(path) ? 'on' : 'off'
  if (mark === '#') return share(fields.filter((one) => one === path || one.startsWith(`${path}.`)), grant.fields)
  const states = [
    ...(applies[verb]?.includes('fields') ? [share(fields, grant.fields)] : []),
    ...(applies[verb]?.includes('locales') && locales.length > 0 ? [share(locales, grant.locales)] : []),
  ]
  return states.every((one) => one === 'on') ? 'on' : 'some'
}

/** Grant a cell, or take it back; what has no field or no locale left grants nothing. */
export function withCell(grants: Grants, parts: ReadonlyMap<string, Parts>, row: string, verb: string, on: boolean): Grants {
  const [uid = '', mark, path = ''] = row.split(/([#@])(.*)/s)
  const known = parts.get(uid)
  if (!known) return grants
  const content = new Map(grants.content)
  const key = keyOf(uid, verb)
  const before = content.get(key)
  const all = { fields: new Set(known.fields), locales: new Set(known.locales), conditions: before?.conditions ?? [] }
  if (!mark) {
    if (on) content.set(key, all)
    else content.delete(key)
    return { ...grants, content }
  }
  const change = (held: ReadonlySet<string>, members: string[]) =>
    new Set(on ? [...held, ...members] : [...held].filter((one) => !members.includes(one)))
  const members = known.fields.filter((one) => one === path || one.startsWith(`${path}.`))
  // The first field of a type is granted in all locales, and the first locale for all fields.
  const grant: Grant = {
    conditions: all.conditions,
    fields: mark === '#' ? change(before?.fields ?? new Set(), members) : (before?.fields ?? all.fields),
    locales: mark === '@' ? change(before?.locales ?? new Set(), [path]) : (before?.locales ?? all.locales),
  }
  const applies = known.applies[verb] ?? []
  const isEmpty =
    (applies.includes('fields') && grant.fields.size === 0) ||
    (applies.includes('locales') && known.locales.length > 0 && grant.locales.size === 0)
  if (isEmpty) content.delete(key)
  else content.set(key, grant)
  return { ...grants, content }
}

export function withConditions(grants: Grants, uid: string, verb: string, conditions: string[]): Grants {
  const grant = grants.content.get(keyOf(uid, verb))
  return grant ? { ...grants, content: new Map(grants.content).set(keyOf(uid, verb), { ...grant, conditions }) } : grants
}

/** What conditions are called, in the same order for all roles; one that is no longer there keeps its id. */
export const namesOfConditions = (ids: string[], known: Catalogue['conditions']): string =>
  ids.map((id) => known.find((one) => one.id === id)?.displayName ?? id).sort().join(', ')

export const conditionsOf = (grants: Grants, uid: string, verb: string): string[] => grants.content.get(keyOf(uid, verb))?.conditions ?? []
export const isGranted = (grants: Grants, uid: string, verb: string): boolean => grants.content.has(keyOf(uid, verb))
