import { newKey } from './values'
import type { Values } from './store'

/** Input that was not saved, as it is kept in the browser. */
export type Unsaved = { at: number; base: string | null; values: Values }

const PREFIX = 'quire-unsaved'

export const unsavedKey = (user: number, uid: string, documentId: string, locale: string | undefined): string =>
  [PREFIX, user, uid, documentId, locale ?? ''].join(' ')

export function readUnsaved(key: string): Unsaved | null {
  try {
    const text = localStorage.getItem(key)
    if (!text) return null
    const found = JSON.parse(text) as Unsaved
    return typeof found.at === 'number' && typeof found.values === 'object' ? { ...found, values: rekeyed(found.values) as Values } : null
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

/** Keys of parts are those of one page: parts from an earlier one get others. */
function rekeyed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rekeyed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === '__key' ? newKey() : rekeyed(inner)]),
  )
}
