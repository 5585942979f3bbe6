import { createContext, useContext } from 'react'
import type { ContentType, TypeConfiguration } from '../../api/types'

/** What the fields of one form have to know of the entry. */
export type EntryScope = {
  uid: string
  type: ContentType
  configuration: TypeConfiguration
  documentId: string | null
  /** Whether the entry has a published version, which people may know by its address. */
  isPublished: boolean
  locale: string | undefined
  status: 'draft' | 'published'
  /** That of the form's place. */
  level: number
}

export const EntryScopeContext = createContext<EntryScope | null>(null)

export function useEntryScope(): EntryScope {
  const scope = useContext(EntryScopeContext)
  if (!scope) throw new Error('A field stands outside of an entry')
  return scope
}
