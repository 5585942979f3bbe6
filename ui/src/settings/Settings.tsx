import { Box, NavLink, Select, Text } from '@mantine/core'
import { Link, Navigate, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../api/client'
import { ErrorState } from '../components/States'
import { GROUPS, useSections } from './sections'

/** The screens of the settings beside the list of those that one may see. */
export function Settings() {
  const { t } = useTranslation()
  const sections = useSections()
  const navigate = useNavigate()
  const pathname = useLocation({ select: (location) => location.pathname.replace(/^\/admin(?=\/)/, '') })
  const isOpen = (path: string) => pathname === path || pathname.startsWith(`${path}/`)
  const current = sections.find((one) => isOpen(one.path))
  if (sections.length === 0) return <Box p="lg"><ErrorState error={new ApiError(403, 'ForbiddenError', '')} /></Box>
  if (/^\/settings\/?$/.test(pathname)) return <Navigate to={sections[0]!.path} replace />
  return (
    <div className="quire-settings">
      <Box component="nav" aria-label={t('settings.title')} className="quire-settings-nav" visibleFrom="md">
        {GROUPS.map((group) => {
          const members = sections.filter((one) => one.group === group)
          return members.length === 0 ? null : (
            <Box key={group} mb="sm">
              <Text size="xs" fw={500} c="dimmed" px={10} py={4}>{t(`settings.group.${group}`)}</Text>
              {members.map((one) => (
                <NavLink
                  key={one.path}
                  className="quire-nav"
                  component={Link}
                  to={one.path}
                  preload="render"
                  label={t(one.key)}
                  active={one === current}
                  leftSection={<one.icon size={15} />}
                  py={6}
                  px={10}
                  styles={{ root: { borderRadius: 6 }, label: { fontSize: 13 } }}
                />
              ))}
            </Box>
          )
        })}
      </Box>
      <Box miw={0}>
        <Box hiddenFrom="md" p="lg" pb={0}>
          <Select
            aria-label={t('settings.title')}
            allowDeselect={false}
            value={current?.path ?? null}
            onChange={(path) => path && void navigate({ to: path })}
            data={GROUPS.map((group) => ({
              group: t(`settings.group.${group}`),
              items: sections.filter((one) => one.group === group).map((one) => ({ value: one.path, label: t(one.key) })),
            })).filter((one) => one.items.length > 0)}
          />
        </Box>
        <Outlet />
      </Box>
    </div>
  )
}
