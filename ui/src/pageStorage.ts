/**
 * What pages keep in the browser until it is saved. Each page has keys of its own, as two of them may show the same;
 * what a page has left behind is offered once it is closed.
 */

const PAGE = crypto.getRandomValues(new Uint32Array(2)).join('')
const LOCK = 'quire-page '

export const pageKey = (prefix: string): string => prefix + PAGE

/** Keys with a prefix that belong to pages which are closed by now. */
export async function keysOfClosedPages(prefix: string): Promise<string[]> {
  const open = await openPages()
  return Object.keys(localStorage).filter(
    (key) => key.startsWith(prefix) && key !== pageKey(prefix) && !open.has(key.slice(prefix.length)),
  )
}

export function readStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/** Keep a value. Returns false where the browser has no room for it. */
export function writeStored(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

type Store<State> = { subscribe: (listener: (state: State, before: State) => void) => () => void }

const SAVED_AFTER_MS = 300

/** Call `save` a moment after each change that counts, and when the page is left. Returns how to end that. */
export function saveAfterChanges<State>(store: Store<State>, hasChanged: (state: State, before: State) => boolean, save: () => void): () => void {
  let timer = 0
  let isPending = false
  const flush = () => {
    window.clearTimeout(timer)
    if (isPending) save()
    isPending = false
  }
  const unsubscribe = store.subscribe((state, before) => {
    if (!hasChanged(state, before)) return
    window.clearTimeout(timer)
    isPending = true
    timer = window.setTimeout(flush, SAVED_AFTER_MS)
  })
  window.addEventListener('pagehide', flush)
  return () => {
    unsubscribe()
    flush()
    window.removeEventListener('pagehide', flush)
  }
}

export const dropStored = (key: string): void => localStorage.removeItem(key)

// A page holds a lock of its name for as long as it is open. Browsers have locks on secure addresses only;
// elsewhere what another open page keeps is offered, too.
if (typeof navigator !== 'undefined' && 'locks' in navigator) void navigator.locks.request(LOCK + PAGE, () => new Promise(() => {}))

async function openPages(): Promise<Set<string>> {
  if (!('locks' in navigator)) return new Set()
  const { held = [] } = await navigator.locks.query()
  return new Set(held.map(({ name = '' }) => name).filter((name) => name.startsWith(LOCK)).map((name) => name.slice(LOCK.length)))
}
