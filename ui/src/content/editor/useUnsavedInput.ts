import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { saveAfterChanges } from '../../pageStorage'
import { dirtyNames, isUnsaved, type EditorStore } from './store'
import { dropUnsaved, leftUnsaved, unsavedKey, writeUnsaved, type EntryKey, type Unsaved } from './unsaved'

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
    if (!isUnsaved(state)) return dropUnsaved(key)
    const values = Object.fromEntries(dirtyNames(state).map((name) => [name, state.values[name]]))
    writeUnsaved(key, { at: Date.now(), values, invalid: state.invalid })
  })
  useEffect(
    () => saveAfterChanges(store, (state, before) => state.values !== before.values || state.invalid !== before.invalid, () => keep()),
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
      if (offered) store.getState().restore(offered.unsaved.values, offered.unsaved.invalid)
      next()
    },
    drop: next,
    /** Nothing is left to keep, except for what was typed since. */
    saved: () => dropUnsaved(key),
  }
}
