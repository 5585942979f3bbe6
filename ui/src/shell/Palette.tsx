import { Text } from '@mantine/core'
import { Spotlight } from '@mantine/spotlight'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Activity, FileText, House, Plus, Search, SquareTerminal, User } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { configurationQuery, useAbility, useIsSuperAdmin, useModel } from '../api/hooks'
import type { Entry } from '../api/types'
import { messageOf } from '../components/errors'
import { modelCommands } from '../model/commands'
import { BUILD } from '../model/permission'
import { queries } from '../queries'
import { useSections } from '../settings/sections'

const SEARCHED_TYPES = 8
const FOUND_EACH = 3

export type Command = { id: string; label: string; hint?: string; icon: typeof FileText; run: () => void }

/** Go to a type, make an entry, or open one by its title. */
export function Palette() {
  const { t } = useTranslation()
  const { displayed } = useModel()
  const ability = useAbility()
  const mayLog = useIsSuperAdmin()
  const sections = useSections()
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const [asked] = useDebouncedValue(query.trim(), 150)
  const readable = displayed.filter((type) => ability.canContent('read', type.uid))
  const found = useQuery({
    queryKey: ['palette', asked],
    enabled: asked.length >= 2,
    queryFn: async ({ signal }) => {
      const collections = readable.filter((type) => type.kind === 'collectionType').slice(0, SEARCHED_TYPES)
      const lists = await Promise.all(
        collections.map(async (type) => {
          const view = (await queries.ensureQueryData(configurationQuery(type.uid))).contentType
          const main = view.settings.mainField
          const page = await request('GET /content-manager/collection-types/{uid}', {
            path: { uid: type.uid },
            query: { _q: asked, pageSize: FOUND_EACH, columns: main },
            signal,
          })
          return (page.results as unknown as Entry[]).map((entry) => ({
            type,
            entry,
            title: String(entry[main] ?? entry.documentId),
          }))
        }),
      )
      return lists.flat()
    },
  })
  const open = (uid: string, documentId?: string) =>
    documentId
      ? void navigate({ to: '/content/$uid/$documentId', params: { uid, documentId } })
      : void navigate({ to: '/content/$uid', params: { uid } })
  const commands: Command[] = [
    { id: 'home', label: t('nav.home'), icon: House, run: () => void navigate({ to: '/' }) },
    { id: 'explorer', label: t('nav.explorer'), icon: SquareTerminal, run: () => void navigate({ to: '/explorer' }) },
    ...(mayLog || ability.can('admin::webhooks.read') ? [{ id: 'activity', label: t('nav.activity'), icon: Activity, run: () => void navigate({ to: '/activity' }) }] : []),
    ...(mayLog
      ? (['jobs', 'schedules', 'outbox'] as const).map((tab) => ({
          id: tab,
          label: t(`activity.${tab}`),
          hint: t('nav.activity'),
          icon: Activity,
          run: () => void navigate({ to: '/activity', search: { tab } }),
        }))
      : []),
    { id: 'profile', label: t('nav.profile'), icon: User, run: () => void navigate({ to: '/profile' }) },
    ...sections
      .filter((one) => one.path.startsWith('/settings'))
      .map((one) => ({ id: one.path, label: t(one.key), hint: t('settings.title'), icon: one.icon, run: () => void navigate({ to: one.path }) })),
    ...modelCommands(t, ability.can(BUILD), displayed, (to, search) => void navigate({ to, search })),
    ...readable.map((type) => ({
      id: type.uid,
      label: type.info.displayName,
      hint: type.kind === 'collectionType' ? t('palette.collection') : t('palette.single'),
      icon: FileText,
      run: () => open(type.uid),
    })),
    ...readable
      .filter((type) => type.kind === 'collectionType' && ability.canContent('create', type.uid))
      .map((type) => ({
        id: `new ${type.uid}`,
        label: t('palette.create', { type: type.info.displayName }),
        icon: Plus,
        run: () => open(type.uid, 'create'),
      })),
  ]
  const words = query.toLowerCase().trim()
  // What an earlier text has found would move away under an Enter.
  const entries = asked === query.trim() && asked.length >= 2 ? (found.data ?? []) : []
  const shown = commands.filter((command) => command.label.toLowerCase().includes(words)).slice(0, 12)
  return (
    <Spotlight.Root attributes={{ content: { 'aria-label': t('shell.jump') } }} query={query} onQueryChange={setQuery} shortcut={null} scrollable maxHeight={420} clearQueryOnClose>
      <Spotlight.Search placeholder={t('palette.placeholder')} aria-label={t('palette.placeholder')} leftSection={<Search size={16} />} />
      <Spotlight.ActionsList>
        {shown.length > 0 && (
          <Spotlight.ActionsGroup label={t('palette.goTo')}>
            {shown.map((command) => (
              <Spotlight.Action
                key={command.id}
                label={command.label}
                description={command.hint}
                leftSection={<command.icon size={16} />}
                onClick={command.run}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {entries.length > 0 && (
          <Spotlight.ActionsGroup label={t('palette.entries')}>
            {entries.map(({ type, entry, title }) => (
              <Spotlight.Action
                key={`${type.uid} ${entry.documentId}`}
                label={title}
                description={type.info.displayName}
                leftSection={<FileText size={16} />}
                onClick={() => open(type.uid, entry.documentId)}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {found.error && asked.length >= 2 && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert" px="md" py="xs">{messageOf(found.error)}</Text>
        )}
        {shown.length === 0 && !found.isFetching && !found.error && entries.length === 0 && (
          <Spotlight.Empty>{t('palette.nothing')}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
