import { newKey } from './values'
import type { Values } from './store'

/** Input that was not saved, as it is kept in the browser. */
export type Unsaved = { at: number; values: Values; invalid: Record<string, string> }

const PREFIX = 'quire-unsaved'
/** Each page keeps its input by itself: two of them may show the same entry. */
const PAGE = crypto.getRandomValues(new Uint32Array(2)).join('')

export type EntryKey = { user: number; uid: string; documentId: string; locale: string | undefined }

const entryPrefix = ({ user, uid, documentId, locale }: EntryKey): string => [PREFIX, user, uid, documentId, locale ?? '', ''].join(' ')

export const unsavedKey = (entry: EntryKey): string => entryPrefix(entry) + PAGE

/** The input for an entry that pages have left behind which are closed by now, the newest first. */
export async function leftUnsaved(entry: EntryKey): Promise<{ key: string; unsaved: Unsaved }[]> {
  const prefix = entryPrefix(entry)
  const open = await openPages()
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix) && key !== prefix + PAGE && !open.has(key.slice(prefix.length)))
    .map((key) => ({ key, unsaved: readUnsaved(key) }))
    .filter((found): found is { key: string; unsaved: Unsaved } => found.unsaved !== null)
    .sort((a, b) => b.unsaved.at - a.unsaved.at)
}

function readUnsaved(key: string): Unsaved | null {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? 'null') as Unsaved | null
    return found && typeof found.at === 'number' && typeof found.values === 'object'
      ? { ...found, values: rekeyed(found.values) as Values, invalid: found.invalid ?? {} }
      : null
  } catch {
    return null
  }
}

/** Keep input. Returns false where the browser has no room for it. */
export function writeUnsaved(key: string, unsaved: Unsaved): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(unsaved))
    return true
  } catch {
    return false
  }
}

export const dropUnsaved = (key: string): void => localStorage.removeItem(key)

const LOCK = 'quire-page '

// A page holds a lock of its name for as long as it is open. Browsers have locks on secure addresses only;
// elsewhere the input of another open page is offered, too.
if ('locks' in navigator) void navigator.locks.request(LOCK + PAGE, () => new Promise(() => {}))

async function openPages(): Promise<Set<string>> {
  if (!('locks' in navigator)) return new Set()
  const { held = [] } = await navigator.locks.query()
  return new Set(held.map(({ name = '' }) => name).filter((name) => name.startsWith(LOCK)).map((name) => name.slice(LOCK.length)))
}

/** Keys of parts are those of one page: parts from an earlier one get others. */
function rekeyed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rekeyed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === '__key' ? newKey() : rekeyed(inner)]),
  )
}
