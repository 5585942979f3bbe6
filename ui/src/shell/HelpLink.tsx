import { Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { informationQuery } from '../settings/queries'

/** The pages of the documentation by the paths of the screens that they describe; the first that fits holds. */
const PAGES: readonly (readonly [path: string, page: string])[] = [
  ['/content/', 'admin.md#writing'],
  ['/releases', 'releases.md'],
  ['/media', 'admin-media.md'],
  ['/model/diagram', 'admin-model.md#diagram'],
  ['/model/archive', 'admin-model.md#applying-changes'],
  ['/model', 'admin-model.md'],
  ['/explorer', 'admin-explorer.md#api-explorer'],
  ['/activity', 'admin-explorer.md#activity'],
  ['/settings/api-tokens', 'admin-settings.md#api-tokens'],
  ['/settings/webhooks', 'admin-settings.md#webhooks'],
  ['/settings/locales', 'admin-settings.md#locales-and-images'],
  ['/settings/review-workflows', 'review.md'],
  ['/settings/media', 'admin-settings.md#locales-and-images'],
  ['/settings/previews', 'admin-settings.md#previews'],
  ['/settings/users', 'admin-settings.md#administrators'],
  ['/settings/roles', 'admin-settings.md#roles'],
  ['/settings/project', 'admin-settings.md'],
  ['/settings', 'admin-settings.md#end-users'],
]

export const docsPageOf = (path: string): string => PAGES.find(([start]) => path.startsWith(start))?.[1] ?? 'admin.md'

/** A link to the documentation of the screen that is open, where the server knows the address of the documentation. */
export function HelpLink() {
  const { t } = useTranslation()
  const path = useLocation({ select: (location) => location.pathname.replace(/^\/admin(?=\/)/, '') })
  const { data } = useQuery(informationQuery)
  if (!data?.docsUrl) return null
  return (
    <Menu.Item
      component="a"
      href={`${data.docsUrl.replace(/\/$/, '')}/${docsPageOf(path)}`}
      target="_blank"
      rel="noreferrer"
      leftSection={<BookOpen size={14} />}
    >
      {t('shell.help')}
    </Menu.Item>
  )
}
