import {
  ActionIcon, AppShell, Avatar, Box, Burger, Button, Group, Kbd, Menu, NavLink, ScrollArea, Text, UnstyledButton,
  useMantineColorScheme, type MantineColorScheme,
} from '@mantine/core'
import { DatesProvider } from '@mantine/dates'
import { useDisclosure, useHotkeys, useLocalStorage, useMediaQuery, useWindowEvent } from '@mantine/hooks'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { spotlight } from '@mantine/spotlight'
import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { Activity, Boxes, CalendarCheck, ChevronsUpDown, CircleHelp, House, Images, LogOut, Monitor, Moon, PanelLeft, Search, Settings as SettingsIcon, SquareTerminal, Sun, User } from 'lucide-react'
import { Suspense, useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { request, signedOut } from '../api/client'
import { useAbility, useHome, useIsSuperAdmin, useMe, useModel } from '../api/hooks'
import type { ContentType } from '../api/types'
import { deviceId } from '../auth/device'
import { toastError } from '../components/toast'
import { useAllSavedViews } from '../content/list/views'
import { BUILD } from '../model/permission'
import { useMaySeeReleases } from '../releases/permission'
import { useSections } from '../settings/sections'
import { focusHeading } from './focus'
import { HelpLink } from './HelpLink'
import { OfflineBar } from './OfflineBar'
import { JobTray } from './JobTray'
import { isInLayer, isInText, keyName, useScreenLetters } from './keyboard'
import { Palette } from './Palette'
import { ShortcutSheet } from './ShortcutSheet'
import { ScreenSkeleton } from './Skeletons'
import { TypeLink } from './TypeLink'
import { ViewAsBar } from './ViewAsBar'

/** All screens of people who are signed in, and what these use. */
export function Shell() {
  const { language } = useTranslation().i18n
  return (
    // Calendars are in the language of the UI; weeks begin on Monday, but for English on Sunday.
    <DatesProvider settings={{ locale: language, firstDayOfWeek: language === 'en' ? 0 : 1 }}>
      <ModalsProvider>
        <Notifications position="bottom-right" limit={4} />
        <Frame />
      </ModalsProvider>
    </DatesProvider>
  )
}

/** The frame around the screens. */
function Frame() {
  const { t } = useTranslation()
  const [drawer, { toggle, close }] = useDisclosure()
  useFilesStayOut()
  const [collapsed, setCollapsed] = useLocalStorage({ key: 'quire-admin-sidebar', defaultValue: false })
  const [sheet, { open: openSheet, close: closeSheet }] = useDisclosure()
  const navigate = useNavigate()
  const pathname = useLocation({ select: (location) => location.pathname })
  useEffect(() => close(), [pathname, close])
  const router = useRouter()
  useEffect(() => router.subscribe('onRendered', ({ pathChanged }) => pathChanged && focusHeading()), [router])
  useHotkeys([['mod+K', () => spotlight.open()]], [])
  /** Show or hide the sidebar; the button that does the opposite takes the focus where it would be lost. */
  const toggleSidebar = () => {
    const hadFocus = document.activeElement?.closest('.mantine-AppShell-navbar, [data-expand]')
    flushSync(() => setCollapsed(!collapsed))
    if (hadFocus) document.querySelector<HTMLElement>(collapsed ? '[data-collapse]' : '[data-expand]')?.focus()
  }
  const burger = useRef<HTMLButtonElement>(null)
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const isCovered = drawer && isPhone
  // The link that was followed cannot keep the focus, and the screen can take it only now.
  useEffect(() => (isCovered ? focusHeading : undefined), [isCovered])
  useScreenLetters([
    ['[', toggleSidebar],
    ['?', openSheet],
    ['shift+?', openSheet],
  ])
  useGoKeys({
    e: () => void navigate({ to: '/explorer' }),
    h: () => void navigate({ to: '/' }),
    m: () => void navigate({ to: '/model' }),
    p: () => void navigate({ to: '/profile' }),
    s: () => void navigate({ to: '/settings' }),
  })
  return (
    <AppShell
      header={{ height: { base: 48, sm: 0 } }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !drawer, desktop: collapsed } }}
    >
      <a className="quire-skip" href="#main">
        {t('shell.skip')}
      </a>
      <AppShell.Header hiddenFrom="sm" px="sm">
        <Group h="100%" justify="space-between">
          <Group gap="xs">
            <Burger ref={burger} aria-expanded={drawer} opened={drawer} onClick={toggle} size="sm" aria-label={t('shell.menu')} />
            <Text fw={600}>Quire</Text>
          </Group>
          <ActionIcon aria-label={t('shell.search')} onClick={() => spotlight.open()}>
            <Search size={18} />
          </ActionIcon>
        </Group>
      </AppShell.Header>
      {/* What is out of sight is out of reach of the keys, too. */}
      <AppShell.Navbar
        p="xs"
        inert={isPhone ? !drawer : collapsed}
        onKeyDown={(event) => {
          // Events of a menu come by here, too.
          if (event.key !== 'Escape' || event.defaultPrevented || !isCovered || isInLayer(event.nativeEvent)) return
          close()
          burger.current?.focus()
        }}
      >
        <Sidebar onCollapse={toggleSidebar} onShortcuts={openSheet} onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" inert={isCovered}>
        <ViewAsBar />
        <OfflineBar />
        {collapsed && (
          <Box visibleFrom="sm" pos="fixed" top={10} left={8} style={{ zIndex: 100 }}>
            <ActionIcon variant="default" data-expand aria-label={t('shell.expand')} onClick={toggleSidebar}>
              <PanelLeft size={16} />
            </ActionIcon>
          </Box>
        )}
        <Box style={{ flex: 1, minWidth: 0 }} pl={collapsed ? { sm: 36 } : undefined}>
          <Suspense fallback={<ScreenSkeleton />}>
            <Outlet />
          </Suspense>
        </Box>
      </AppShell.Main>
      <Palette />
      <JobTray />
      <ShortcutSheet opened={sheet} onClose={closeSheet} />
    </AppShell>
  )
}

/** `g`, then a letter. */
function useGoKeys(targets: Record<string, () => void>) {
  // Between the two keys the shell may render.
  const armedAt = useRef(0)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isInText(event) || isInLayer(event)) return
      if (event.key === 'g') armedAt.current = Date.now()
      else if (Date.now() - armedAt.current < 1500 && targets[event.key]) {
        armedAt.current = 0
        event.preventDefault()
        // The screen that is left has the same letter for something else.
        event.stopPropagation()
        targets[event.key]?.()
      }
    }
    window.addEventListener('keydown', listen, { capture: true })
    return () => window.removeEventListener('keydown', listen, { capture: true })
  })
}

/** Fetch the code of the screens in the sidebar while nothing else is to be done, so that they open at once. */
function usePreloadedScreens(): void {
  const router = useRouter()
  const sections = useSections()
  const settings = sections[0]?.path
  useEffect(() => {
    // Safari has no idle callbacks; there the code is fetched when a link is hovered.
    if (!('requestIdleCallback' in window)) return
    const { '/content/$uid': list, '/content/$uid/$documentId': entry } = router.routesByPath
    const paths = [settings, '/model', '/media', '/explorer'].filter((path) => path !== undefined)
    const steps = [
      // Of lists and entries, the code alone: which of them is opened is not known.
      () => router.loadRouteChunk(list),
      () => router.loadRouteChunk(entry),
      ...paths.map((path) => () => router.preloadRoute({ to: path })),
    ]
    const next = () => {
      const step = steps.shift()
      if (step) void Promise.resolve(step()).then(() => (idle = requestIdleCallback(next)))
    }
    let idle = requestIdleCallback(next)
    return () => {
      steps.length = 0
      cancelIdleCallback(idle)
    }
  }, [router, settings])
}

function Sidebar({ onCollapse, onShortcuts, onNavigate }: { onCollapse: () => void; onShortcuts: () => void; onNavigate: () => void }) {
  const { t } = useTranslation()
  const { displayed } = useModel()
  const ability = useAbility()
  const sections = useSections()
  usePreloadedScreens()
  const home = useHome()
  const readable = displayed.filter((type) => ability.canContent('read', type.uid))
  const views = useAllSavedViews()
  const counts = new Map(home.data?.types.map((type) => [type.uid, type.count]))
  const pathname = useLocation({ select: (location) => decodeURIComponent(location.pathname) })
  const isOpen = (path: string) => pathname === path || pathname.startsWith(`${path}/`)
  const group = (kind: ContentType['kind'], label: string) => {
    const types = readable.filter((type) => type.kind === kind)
    if (types.length === 0) return null
    return (
      <Box component="section" aria-label={label} mt="sm">
        <Text size="xs" fw={500} c="dimmed" px={10} py={4}>
          {label}
        </Text>
        {types.map((type) => {
          const path = `/content/${type.uid}`
          return (
            <TypeLink
              key={type.uid}
              type={type}
              count={kind === 'collectionType' ? counts.get(type.uid) : undefined}
              active={isOpen(path) || isOpen(`/admin${path}`)}
              views={views.filter((view) => view.uid === type.uid)}
              onNavigate={onNavigate}
            />
          )
        })}
      </Box>
    )
  }
  return (
    <>
      <Group justify="space-between" px={10} pt={4} pb="xs" wrap="nowrap">
        <Text fw={600}>Quire</Text>
        <ActionIcon visibleFrom="sm" data-collapse aria-label={t('shell.collapse')} onClick={onCollapse}>
          <PanelLeft size={16} />
        </ActionIcon>
      </Group>
      <Button
        variant="default"
        justify="space-between"
        fullWidth
        fw={500}
        leftSection={<Search size={14} />}
        rightSection={<Kbd size="xs" style={{ whiteSpace: 'nowrap' }}>{keyName('Mod')} K</Kbd>}
        onClick={() => spotlight.open()}
      >
        {t('shell.jump')}
      </Button>
      <ScrollArea style={{ flex: 1 }} type="auto" offsetScrollbars="present" component="nav" aria-label={t('nav.main')} viewportProps={{ tabIndex: -1 }}>
        <NavLink
          className="quire-nav"
          component={Link}
          to="/"
          label={t('nav.home')}
          active={pathname === '/' || pathname === '/admin' || pathname === '/admin/'}
          leftSection={<House size={15} />}
          mt="sm"
          py={6}
          px={10}
          styles={{ root: { borderRadius: 6 }, label: { fontSize: 13 } }}
        />
        {group('collectionType', t('nav.collections'))}
        {group('singleType', t('nav.singles'))}
        <Workspace pathname={pathname} />
      </ScrollArea>
      {sections.length > 0 && (
        <NavLink
          className="quire-nav"
          component={Link}
          to={sections[0]?.path ?? '/settings'}
          label={t('settings.title')}
          active={isOpen('/settings') || isOpen('/admin/settings')}
          leftSection={<SettingsIcon size={15} />}
          mt="xs"
          py={6}
          px={10}
          styles={{ root: { borderRadius: 6 }, label: { fontSize: 13 } }}
        />
      )}
      <UserMenu onShortcuts={onShortcuts} />
    </>
  )
}

/** Keep the browser from opening a file that is dropped beside an area for files: input would be lost. */
function useFilesStayOut() {
  const stop = (event: DragEvent) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  }
  useWindowEvent('dragover', stop)
  useWindowEvent('drop', stop)
}

/** Screens about the project rather than its content, as far as the role may use them. */
function Workspace({ pathname }: { pathname: string }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const isSuper = useIsSuperAdmin()
  const maySeeReleases = useMaySeeReleases()
  const screens = [
    { to: '/releases', label: t('nav.releases'), icon: CalendarCheck, shown: maySeeReleases },
    { to: '/media', label: t('media.library'), icon: Images, shown: ability.can('plugin::upload.read') },
    { to: '/model', label: t('nav.model'), icon: Boxes, shown: ability.can(BUILD) },
    { to: '/explorer', label: t('nav.explorer'), icon: SquareTerminal, shown: true },
    { to: '/activity', label: t('nav.activity'), icon: Activity, shown: isSuper || ability.can('admin::webhooks.read') },
  ].filter((screen) => screen.shown)
  if (screens.length === 0) return null
  return (
    <Box component="section" aria-label={t('nav.workspace')} mt="sm">
      <Text size="xs" fw={500} c="dimmed" px={10} py={4}>{t('nav.workspace')}</Text>
      {screens.map(({ to, label, icon: Icon }) => (
        <NavLink
          key={to}
          className="quire-nav"
          component={Link}
          to={to}
          label={label}
          active={pathname.replace(/^\/admin/, '').startsWith(to)}
          leftSection={<Icon size={15} />}
          py={6}
          px={10}
          styles={{ root: { borderRadius: 6 }, label: { fontSize: 13 } }}
        />
      ))}
    </Box>
  )
}

function UserMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { t } = useTranslation()
  const me = useMe()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const name = [me.firstname, me.lastname].filter(Boolean).join(' ') || me.email
  const signOut = async () => {
    try {
      await request('POST /admin/logout', { body: { deviceId: deviceId() } as never })
    } catch (error) {
      toastError(error)
      return
    }
    signedOut()
    queries.clear()
    await navigate({ to: '/login' })
  }
  const schemes = [
    ['auto', t('scheme.auto'), Monitor],
    ['light', t('scheme.light'), Sun],
    ['dark', t('scheme.dark'), Moon],
  ] as const
  return (
    <Menu position="top-start" width={216}>
      <Menu.Target>
        <UnstyledButton p={8} mt="xs" style={{ borderRadius: 6 }}>
          <Group gap="xs" wrap="nowrap">
            <Avatar size={26} radius="xl" color="brand" aria-hidden>
              <User size={14} />
            </Avatar>
            <Text size="sm" className="quire-ellipsis" style={{ flex: 1 }}>
              {name}
            </Text>
            <ChevronsUpDown size={14} />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<User size={14} />} onClick={() => void navigate({ to: '/profile' })}>
          {t('nav.profile')}
        </Menu.Item>
        <HelpLink />
        <Menu.Item leftSection={<CircleHelp size={14} />} rightSection={<Kbd size="xs">?</Kbd>} onClick={onShortcuts}>
          {t('shell.shortcuts')}
        </Menu.Item>
        <Menu.Divider />
        <div role="group" aria-label={t('scheme.title')}>
          <Menu.Label aria-hidden>{t('scheme.title')}</Menu.Label>
          <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
            {schemes.map(([value, label, Icon]) => (
              <Menu.RadioItem key={value} value={value} closeMenuOnClick={false} rightSection={<Icon size={14} />}>
                {label}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </div>
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={14} />} onClick={() => void signOut()}>
          {t('auth.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
