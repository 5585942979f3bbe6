import { Box, NavLink, Select, Text } from '@mantine/core'
import { Link, Navigate, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { MissingScreenPermission, NoPermission } from '../components/States'
import { SettingsPage } from './components'
import { GROUPS, sectionAt, useSections, type Section } from './sections'

/** The screens of the settings beside the list of those that one may see. */
export function Settings() {
  const { t } = useTranslation()
  const sections = useSections()
  const navigate = useNavigate()
  const pathname = useLocation({ select: (location) => location.pathname.replace(/^\/admin(?=\/)/, '') })
  const current = sectionAt(pathname)
  const mayOpen = current ? sections.includes(current) : sections.length > 0
  if (sections.length === 0) return <Forbidden section={current} />
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
        <Box hiddenFrom="md" p={{ base: 'sm', sm: 'lg' }} pb={0}>
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
        {mayOpen ? <Outlet /> : <Forbidden section={current} />}
      </Box>
    </div>
  )
}

/** What is there instead of a screen that the role may not see. */
function Forbidden({ section }: { section: Section | undefined }) {
  const { t } = useTranslation()
  return (
    <SettingsPage title={t(section?.key ?? 'settings.title')}>
      {section?.needs ? <MissingScreenPermission screen={t(section.key)} permission={section.needs} /> : <NoPermission>{t('settings.forbidden')}</NoPermission>}
    </SettingsPage>
  )
}
