import { useParams, useSearch } from '@tanstack/react-router'
import { useModel } from '../api/hooks'
import { NotFound } from '../shell/ErrorScreens'
import { EntryEditor } from './editor/EntryEditor'
import { usePagePlace } from './EntryScreen'
import { ListScreen } from './list/ListScreen'

/** A collection type as a list, a single type as its form. */
export function ContentScreen() {
  const { uid } = useParams({ from: '/shell/content/$uid' })
  const { locale, compare } = useSearch({ from: '/shell/content/$uid' })
  const type = useModel().types.get(uid)
  const place = usePagePlace(uid, locale, compare)
  if (!type?.isDisplayed) return <NotFound />
  if (type.kind === 'collectionType') return <ListScreen key={uid} type={type} />
  return <EntryEditor key={uid} type={type} documentId={null} locale={locale} place={place} />
}
