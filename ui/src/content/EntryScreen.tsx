import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useModel } from '../api/hooks'
import { NotFound } from '../shell/ErrorScreens'
import { EntryEditor } from './editor/EntryEditor'
import type { Place } from './editor/place'
import { lastSearch } from './list/lastSearch'

export function EntryScreen() {
  const { uid, documentId } = useParams({ from: '/shell/content/$uid/$documentId' })
  const { locale, from, compare } = useSearch({ from: '/shell/content/$uid/$documentId' })
  const type = useModel().types.get(uid)
  const place = usePagePlace(uid, locale, compare)
  if (!type?.isDisplayed || type.kind !== 'collectionType') return <NotFound />
  return <EntryEditor key={uid} type={type} documentId={documentId} locale={locale} copyOf={from} place={place} />
}

/** The form of the page: its entry and locale are in the address. */
export function usePagePlace(uid: string, locale: string | undefined, compare: string | undefined): Place {
  const navigate = useNavigate()
  return useMemo(
    () => ({
      level: 0,
      compare: { name: compare, choose: (name) => void navigate({ to: '.', search: (before) => ({ ...before, compare: name }), replace: true, ignoreBlocker: true }) },
      open: ({ documentId, locale, from }, replaces = false) =>
        documentId === null
          ? navigate({ to: '/content/$uid', params: { uid }, search: locale ? { locale } : {} })
          : navigate({
              to: '/content/$uid/$documentId',
              params: { uid, documentId },
              search: { ...(locale ? { locale } : {}), ...(from ? { from } : {}) },
              replace: replaces,
              ignoreBlocker: replaces,
            }),
      leave: () => navigate({ to: '/content/$uid', params: { uid }, search: lastSearch(uid, locale), ignoreBlocker: true }),
    }),
    [navigate, uid, locale, compare],
  )
}
