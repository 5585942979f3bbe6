import { ActionIcon, Box, Group, NavLink, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Link, useSearch } from '@tanstack/react-router'
import { Bookmark, ChevronDown, ChevronRight, FileText, StickyNote } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { SavedView } from '../api/generated'
import type { ContentType } from '../api/types'
import { searchOf } from '../content/list/views'
import { formatNumber } from '../i18n'

/** More views than these are shown only when somebody asks for them. */
const FEW = 4

type Props = { type: ContentType; count: number | undefined; active: boolean; views: SavedView[]; onNavigate: () => void }

/** A content type in the sidebar, with its saved views below. */
export function TypeLink({ type, count, active, views, onNavigate }: Props) {
  const { t } = useTranslation()
  const [set, setOpen] = useLocalStorage<boolean | null>({ key: `quire-admin-views-${type.uid}`, defaultValue: null })
  const { view: current } = useSearch({ strict: false }) as { view?: number }
  const isOpen = set ?? views.length <= FEW
  const name = type.info.displayName
  const styles = { root: { borderRadius: 6 }, label: { fontSize: 13 } }
  return (
    <>
      <Group gap={0} wrap="nowrap" pos="relative">
        <NavLink
          className="quire-nav"
          component={Link}
          to={`/content/${type.uid}`}
          label={name}
          active={active}
          leftSection={type.kind === 'collectionType' ? <FileText size={15} /> : <StickyNote size={15} />}
          rightSection={count === undefined ? undefined : <Text size="xs" c="dimmed">{formatNumber(count)}</Text>}
          py={6}
          pl={10}
          pr={views.length > 0 ? 32 : 10}
          styles={styles}
        />
        {views.length > 0 && (
          <ActionIcon size="sm" pos="absolute" right={6} aria-expanded={isOpen} aria-label={t('nav.viewsOf', { type: name })} onClick={() => setOpen(!isOpen)}>
            {isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
          </ActionIcon>
        )}
      </Group>
      {isOpen && views.length > 0 && (
        <Box role="group" aria-label={t('nav.viewsOf', { type: name })} ml={17} style={{ borderLeft: '1px solid var(--quire-hairline)' }}>
          {views.map((view) => (
            <NavLink
              key={view.id}
              className="quire-nav"
              renderRoot={(props) => <Link {...props} to="/content/$uid" params={{ uid: type.uid }} search={searchOf(view)} onClick={onNavigate} />}
              label={<span className="quire-ellipsis" style={{ display: 'block' }} title={view.name}>{view.name}</span>}
              active={active && current === view.id}
              leftSection={<Bookmark size={12} />}
              py={4}
              px={8}
              styles={styles}
            />
          ))}
        </Box>
      )}
    </>
  )
}
