import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ReleaseItem } from '../api/generated'
import { useModel } from '../api/hooks'
import { titleOf } from './titles'

/** The title of an entry, which leads to its form where the role may read it. */
export function EntryLink({ item }: { item: ReleaseItem }) {
  const { t } = useTranslation()
  const type = useModel().types.get(item.contentType)
  if (!item.exists) return <Text inherit c="dimmed">{t('releases.gone')}</Text>
  if (!item.readable) return <Text inherit c="dimmed">{t('releases.hidden')}</Text>
  const place =
    type?.kind === 'singleType'
      ? { to: '/content/$uid' as const, params: { uid: item.contentType } }
      : { to: '/content/$uid/$documentId' as const, params: { uid: item.contentType, documentId: item.documentId ?? '' } }
  return <Link {...place} search={item.locale ? { locale: item.locale } : {}} className="quire-title-link">{titleOf(item, t)}</Link>
}
