import { dropStored, keysOfClosedPages, pageKey, readStored, writeStored } from '../../pageStorage'
import { newKey } from './values'
import type { Creation, Values } from './store'

/** Input that was not saved, as it is kept in the browser. */
export type Unsaved = { at: number; values: Values; invalid: Record<string, string>; creation: Creation | null }

const PREFIX = 'quire-unsaved'

export type EntryKey = { user: number; uid: string; documentId: string; locale: string | undefined }

const entryPrefix = ({ user, uid, documentId, locale }: EntryKey): string => [PREFIX, user, uid, documentId, locale ?? '', ''].join(' ')

export const unsavedKey = (entry: EntryKey): string => pageKey(entryPrefix(entry))

/** The input for an entry that pages have left behind which are closed by now, the newest first. */
export async function leftUnsaved(entry: EntryKey): Promise<{ key: string; unsaved: Unsaved }[]> {
  return (await keysOfClosedPages(entryPrefix(entry)))
    .map((key) => ({ key, unsaved: readUnsaved(key) }))
    .filter((found): found is { key: string; unsaved: Unsaved } => found.unsaved !== null)
    .sort((a, b) => b.unsaved.at - a.unsaved.at)
}

function readUnsaved(key: string): Unsaved | null {
  const found = readStored(key) as Unsaved | null
  return found && typeof found.at === 'number' && typeof found.values === 'object'
    ? (rekeyed({ ...found, invalid: found.invalid ?? {}, creation: found.creation ?? null }) as Unsaved)
    : null
}

/** Keep input. Returns false where the browser has no room for it. */
export const writeUnsaved = (key: string, unsaved: Unsaved): boolean => writeStored(key, unsaved)

export const dropUnsaved = dropStored

/** Keys of parts are those of one page: parts from an earlier one get others, the same wherever a part is. */
function rekeyed(value: unknown, keys = new Map<unknown, string>()): unknown {
  if (Array.isArray(value)) return value.map((one) => rekeyed(one, keys))
  if (typeof value !== 'object' || value === null) return value
  const other = (key: unknown) => {
    if (!keys.has(key)) keys.set(key, newKey())
    return keys.get(key)
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === '__key' ? other(inner) : rekeyed(inner, keys)]),
  )
}
