import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { saveAfterChanges } from '../../pageStorage'
import { dirtyNames, isUnsaved, type EditorStore } from './store'
import { dropUnsaved, leftUnsaved, unsavedKey, writeUnsaved, type EntryKey, type Unsaved } from './unsaved'

const KEPT = ['values', 'invalid', 'creation'] as const

/** Keep what is typed into a form in the browser until it is saved, and offer what was left there. */
export function useUnsavedInput(store: EditorStore, entry: EntryKey) {
  const { user, uid, documentId, locale } = entry
  const same = useMemo(() => ({ user, uid, documentId, locale }), [user, uid, documentId, locale])
  const key = unsavedKey(same)
  const [left, setLeft] = useState<{ key: string; unsaved: Unsaved }[]>([])
  // What was left behind is looked for once: what comes later is that of this form.
  const [first] = useState(same)
  useEffect(() => {
    let ended = false
    void leftUnsaved(first).then((found) => !ended && setLeft(found))
    return () => {
      ended = true
    }
  }, [first])

  const keep = useEffectEvent(() => {
    const state = store.getState()
    if (!isUnsaved(state) && !state.creation) return dropUnsaved(key)
    const values = Object.fromEntries(dirtyNames(state).map((name) => [name, state.values[name]]))
    writeUnsaved(key, { at: Date.now(), values, invalid: state.invalid, creation: state.creation })
  })
  useEffect(
    () => saveAfterChanges(store, (state, before) => KEPT.some((name) => state[name] !== before[name]), () => keep()),
    [store, key],
  )

  const [offered] = left
  const next = () => {
    if (offered) dropUnsaved(offered.key)
    setLeft(left.slice(1))
  }
  return {
    offered: offered?.unsaved ?? null,
    restore: () => {
      if (offered) {
        const { values, invalid, creation } = offered.unsaved
        store.getState().setCreation(creation)
        store.getState().restore(values, invalid)
      }
      next()
    },
    drop: next,
    /** Nothing is left to keep, except for what was typed since. */
    saved: () => dropUnsaved(key),
  }
}
