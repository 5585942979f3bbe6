import { useParams, useSearch } from '@tanstack/react-router'
import { useModel } from '../api/hooks'
import { NotFound } from '../shell/ErrorScreens'
import { EntryEditor } from './editor/EntryEditor'

export function EntryScreen() {
  const { uid, documentId } = useParams({ from: '/shell/content/$uid/$documentId' })
  const { locale, from } = useSearch({ from: '/shell/content/$uid/$documentId' })
  const type = useModel().types.get(uid)
  if (!type?.isDisplayed || type.kind !== 'collectionType') return <NotFound />
  return <EntryEditor key={uid} type={type} documentId={documentId} locale={locale} copyOf={from} />
}
