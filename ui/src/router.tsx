import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { mayHaveSession, refreshToken, useSession } from './api/client'
import { configurationQuery, localesQuery, meQuery, modelQuery, permissionsQuery } from './api/hooks'
import type { Status } from './api/types'
import { Login } from './auth/Login'
import { isFilterTree, isStatus, type FilterGroup } from './content/list/filters'
import { listOf, pageQuery } from './content/list/query'
import { applyLanguage, withTexts } from './i18n'
import { FILE_KINDS, LACKS, type LibrarySearch } from './media/library'
import { queries } from './queries'
import { NotFound, ScreenError } from './shell/ErrorScreens'
import { loadSignedIn } from './shell/loadSignedIn'
import { ScreenSkeleton, ShellSkeleton } from './shell/Skeletons'

const root = createRootRoute({ component: Outlet, notFoundComponent: () => <NotFound outside />, errorComponent: (props) => <ScreenError {...props} outside /> })

const asText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const asDay = (value: unknown) => (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined)
const asNumber = (value: unknown) => (Number.isInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined)

/** Let those in who have a session; restore it from its cookie after a reload. */
async function requireSession(href: string): Promise<void> {
  if (useSession.getState().status === 'unknown') {
    // Its code comes beside the token.
    if (mayHaveSession()) void loadSignedIn().catch(() => undefined)
    // Without any response nobody knows: the screen says so, and asks again.
    const restored = mayHaveSession() && (await queries.fetchQuery({ queryKey: ['session'], queryFn: refreshToken, gcTime: 0, staleTime: 0 }))
    if (!restored) useSession.setState({ status: 'anonymous' })
  }
  if (useSession.getState().status === 'anonymous') {
    throw redirect({ to: '/login', search: href === '/' ? {} : { to: href } })
  }
  const [me] = await Promise.all([
    queries.ensureQueryData(meQuery),
    queries.ensureQueryData(modelQuery),
    queries.ensureQueryData(permissionsQuery),
    queries.ensureQueryData(localesQuery),
  ])
  await applyLanguage(me.preferedLanguage)
}

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): { to?: string } => {
    const to = asText(search.to)
    // An address of this UI alone: a link must not lead elsewhere after signing in.
    return to?.startsWith('/') && !to.startsWith('//') && !to.includes('\\') ? { to } : {}
  },
  component: Login,
})
const registerFirst = (path: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(() => import('./auth/FirstAdministrator'), 'FirstAdministrator'),
  })
const registration = (path: string, name: 'AcceptInvitation' | 'ForgotPassword' | 'ResetPassword') =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(() => import('./auth/Registration'), name),
  })

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: lazyRouteComponent(loadSignedIn, 'Shell'),
  pendingComponent: ShellSkeleton,
  errorComponent: (props) => <ScreenError {...props} outside />,
  beforeLoad: ({ location }) => requireSession(location.href),
})

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(loadSignedIn, 'Home'),
})
const profile = createRoute({
  getParentRoute: () => shell,
  path: '/profile',
  component: lazyRouteComponent(() => import('./profile/Profile'), 'Profile'),
})

export type ListSearch = {
  q?: string
  filters?: FilterGroup
  status?: Status
  sort?: string
  page?: number
  pageSize?: number
  columns?: string[]
  locale?: string
  view?: number
  /** The stage and the assignee of a review workflow. */
  stage?: number
  assignee?: number
  /** The locale that documents have no version in. */
  missing?: string
  /** The version beside the form of a single type. */
  compare?: string
}

/**
 * Ask for the page of a list while its code is still on the way, and wait for the view of its type.
 * A screen that waits for it itself is shown 300 ms after its placeholder at the earliest: so long
 * React keeps one that has been shown. The list says what goes wrong.
 */
async function preloadList(uid: string, search: ListSearch): Promise<void> {
  const { types } = await queries.ensureQueryData(modelQuery)
  const type = types.get(uid)
  if (!type?.isDisplayed || type.kind !== 'collectionType') return
  const [configuration, locales] = await Promise.all([
    queries.ensureQueryData(configurationQuery(uid)),
    queries.ensureQueryData(localesQuery),
  ])
  void queries.prefetchQuery(pageQuery(uid, listOf(type, search, configuration, locales).query))
}

/** Wait for the view of the type of an entry, as for that of a list. */
async function preloadView(uid: string): Promise<void> {
  const { types } = await queries.ensureQueryData(modelQuery)
  if (types.get(uid)?.isDisplayed) await queries.ensureQueryData(configurationQuery(uid))
}

export const contentRoute = createRoute({
  getParentRoute: () => shell,
  path: '/content/$uid',
  validateSearch: (search: Record<string, unknown>): ListSearch => ({
    q: typeof search.q === 'number' ? String(search.q) : asText(search.q),
    filters: isFilterTree(search.filters) ? search.filters : undefined,
    status: isStatus(search.status) ? search.status : undefined,
    sort: asText(search.sort),
    page: asNumber(search.page),
    pageSize: asNumber(search.pageSize),
    columns: Array.isArray(search.columns) ? search.columns.filter((one) => typeof one === 'string') : undefined,
    locale: asText(search.locale),
    view: asNumber(search.view),
    stage: asNumber(search.stage),
    assignee: asNumber(search.assignee),
    missing: asText(search.missing),
    compare: asText(search.compare),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => preloadList(params.uid, deps).catch(() => undefined),
  component: lazyRouteComponent(() => import('./content/ContentScreen'), 'ContentScreen'),
})
export const entryRoute = createRoute({
  getParentRoute: () => shell,
  path: '/content/$uid/$documentId',
  validateSearch: (search: Record<string, unknown>): { locale?: string; from?: string; compare?: string } => ({
    locale: asText(search.locale),
    compare: asText(search.compare),
    from: asText(search.from),
  }),
  loader: ({ params }) => preloadView(params.uid).catch(() => undefined),
  component: lazyRouteComponent(() => import('./content/EntryScreen'), 'EntryScreen'),
})

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyRouteComponent(withTexts(['settings'], () => import('./settings/Settings')), 'Settings'),
})
/** A screen of the settings. */
const settingsScreen = <const Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Record<Name, () => ReactNode>>,
  name: Name,
) => createRoute({ getParentRoute: () => settings, path, component: lazyRouteComponent(load, name) })

const settingsScreens = [
  settingsScreen('/api-tokens', () => import('./settings/tokens/TokenList'), 'TokenList'),
  settingsScreen('/api-tokens/new', () => import('./settings/tokens/TokenForm'), 'NewToken'),
  settingsScreen('/api-tokens/$id', () => import('./settings/tokens/TokenForm'), 'EditToken'),
  settingsScreen('/webhooks', () => import('./settings/webhooks/Webhooks'), 'Webhooks'),
  settingsScreen('/webhooks/new', () => import('./settings/webhooks/WebhookForm'), 'NewWebhook'),
  settingsScreen('/webhooks/$id', () => import('./settings/webhooks/WebhookForm'), 'EditWebhook'),
  settingsScreen('/locales', () => import('./settings/locales/Locales'), 'Locales'),
  settingsScreen('/review-workflows', () => import('./settings/review/Workflows'), 'Workflows'),
  settingsScreen('/media', () => import('./settings/Media'), 'MediaSettings'),
  settingsScreen('/previews', () => import('./settings/Previews'), 'PreviewSettings'),
  settingsScreen('/project', () => import('./settings/Project'), 'Project'),
  settingsScreen('/users', () => import('./settings/administrators/AdministratorList'), 'AdministratorList'),
  settingsScreen('/users/$id', () => import('./settings/administrators/AdministratorForm'), 'AdministratorForm'),
  settingsScreen('/roles', () => import('./settings/roles/Roles'), 'Roles'),
  settingsScreen('/roles/$id', () => import('./settings/roles/RoleForm'), 'Role'),
  settingsScreen('/end-user-roles', () => import('./settings/accounts/RoleList'), 'EndUserRoles'),
  settingsScreen('/end-user-roles/new', () => import('./settings/accounts/RoleForm'), 'NewEndUserRole'),
  settingsScreen('/end-user-roles/$id', () => import('./settings/accounts/RoleForm'), 'EditEndUserRole'),
  settingsScreen('/providers', () => import('./settings/accounts/Providers'), 'SignInProviders'),
  settingsScreen('/email-templates', () => import('./settings/accounts/EmailTemplates'), 'EmailTemplates'),
  settingsScreen('/advanced', () => import('./settings/accounts/Advanced'), 'Advanced'),
] as const
export type ModelTab = 'fields' | 'layout' | 'settings' | 'json'
const isTab = (value: unknown): value is ModelTab => value === 'layout' || value === 'settings' || value === 'json'
type NewModel = 'collectionType' | 'singleType' | 'component'
const isNewModel = (value: unknown): value is NewModel => value === 'collectionType' || value === 'singleType' || value === 'component'

const model = createRoute({
  getParentRoute: () => shell,
  path: '/model',
  component: lazyRouteComponent(withTexts(['model'], () => import('./model/screens')), 'ModelLayout'),
})
export const modelHomeRoute = createRoute({
  getParentRoute: () => model,
  path: '/',
  validateSearch: (search: Record<string, unknown>): { new?: NewModel } => (isNewModel(search.new) ? { new: search.new } : {}),
  component: lazyRouteComponent(() => import('./model/screens'), 'ModelHome'),
})
const modelDiagram = createRoute({
  getParentRoute: () => model,
  path: '/diagram',
  component: lazyRouteComponent(() => import('./model/Diagram'), 'Diagram'),
})
const modelArchive = createRoute({
  getParentRoute: () => model,
  path: '/archive',
  component: lazyRouteComponent(() => import('./model/screens'), 'ArchiveScreen'),
})
export const modelRoute = createRoute({
  getParentRoute: () => model,
  path: '/$uid',
  validateSearch: (search: Record<string, unknown>): { tab?: ModelTab } => (isTab(search.tab) ? { tab: search.tab } : {}),
  component: lazyRouteComponent(() => import('./model/screens'), 'TypeScreen'),
})

const media = createRoute({
  getParentRoute: () => shell,
  path: '/media',
  validateSearch: (search: Record<string, unknown>): LibrarySearch => ({
    folder: asNumber(search.folder),
    q: typeof search.q === 'number' ? String(search.q) : asText(search.q),
    sort: asText(search.sort),
    kind: FILE_KINDS.find((kind) => kind === search.kind),
    lacks: LACKS.find((lack) => lack === search.lacks),
    from: asDay(search.from),
    to: asDay(search.to),
    minSize: asNumber(search.minSize),
    maxSize: asNumber(search.maxSize),
    view: search.view === 'table' ? 'table' : undefined,
    page: asNumber(search.page),
  }),
  component: lazyRouteComponent(() => import('./media/Library'), 'Library'),
})
export const explorerRoute = createRoute({
  getParentRoute: () => shell,
  path: '/explorer',
  validateSearch: (search: Record<string, unknown>): { type?: string } => ({ type: asText(search.type) }),
  component: lazyRouteComponent(withTexts(['settings'], () => import('./explorer/Explorer')), 'Explorer'),
})
export type ActivitySearch = { tab?: string; state?: string; name?: string; actor?: string; action?: string; target?: string; from?: string; until?: string }
export const activityRoute = createRoute({
  getParentRoute: () => shell,
  path: '/activity',
  validateSearch: (search: Record<string, unknown>): ActivitySearch => ({
    tab: asText(search.tab),
    state: asText(search.state),
    name: asText(search.name),
    actor: asText(search.actor),
    action: asText(search.action),
    target: asText(search.target),
    from: asText(search.from),
    until: asText(search.until),
  }),
  component: lazyRouteComponent(withTexts(['settings'], () => import('./activity/Activity')), 'Activity'),
})

export type ReleasesTab = 'open' | 'scheduled' | 'done'
export const releasesRoute = createRoute({
  getParentRoute: () => shell,
  path: '/releases',
  validateSearch: (search: Record<string, unknown>): { tab?: ReleasesTab; page?: number } => ({
    tab: search.tab === 'done' || search.tab === 'scheduled' ? search.tab : undefined,
    page: asNumber(search.page),
  }),
  component: lazyRouteComponent(withTexts(['releases', 'settings'], () => import('./releases/Releases')), 'Releases'),
})
export const releaseRoute = createRoute({
  getParentRoute: () => shell,
  path: '/releases/$id',
  component: lazyRouteComponent(withTexts(['releases', 'settings'], () => import('./releases/ReleaseScreen')), 'ReleaseScreen'),
})

const routeTree = root.addChildren([
  login,
  registerFirst('/setup'),
  registerFirst('/auth/register-admin'),
  registration('/auth/register', 'AcceptInvitation'),
  registration('/auth/forgot-password', 'ForgotPassword'),
  registration('/auth/reset-password', 'ResetPassword'),
  shell.addChildren([
    home,
    profile,
    contentRoute,
    entryRoute,
    model.addChildren([modelHomeRoute, modelDiagram, modelArchive, modelRoute]),
    media,
    releasesRoute,
    releaseRoute,
    explorerRoute,
    activityRoute,
    settings.addChildren(settingsScreens),
  ]),
])

export const router = createRouter({
  routeTree,
  basepath: '/admin',
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: ScreenError,
  defaultPendingComponent: ScreenSkeleton,
  // Longer than most screens take: React keeps a placeholder that has been shown for 300 ms.
  defaultPendingMs: 400,
  defaultPendingMinMs: 0,
  defaultNotFoundComponent: () => <NotFound />,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
