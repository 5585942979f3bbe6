import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useSession } from '../../api/client'
import { dirtyNames, type EditorStore } from './store'
import type { useEntryActions } from './useEntryActions'

const IDLE_MS = 1500
const RETRY_MS = 400
/** How long a server that is not available is left alone. */
const UNAVAILABLE_MS = 5000

/** Whether this browser saves drafts of a type by itself. */
export function useAutosaveSetting(uid: string) {
  const [off, setOff] = useLocalStorage<string[]>({ key: 'quire-autosave-off', defaultValue: [], getInitialValueInEffect: false })
  const isOn = !off.includes(uid)
  return { isOn, toggle: () => setOff(isOn ? [...off, uid] : off.filter((one) => one !== uid)) }
}

type Options = { store: EditorStore; actions: ReturnType<typeof useEntryActions>; enabled: boolean }

/** Save a draft once nobody has typed for a moment, and when the server can be reached again. */
export function useAutosave({ store, actions, enabled }: Options): void {
  /** The values that the server refused: they are not sent again before they change. */
  const refused = useRef<unknown>(null)

  /** Returns after which time to come again, null for not by itself. */
  const attempt = useEffectEvent(async (): Promise<number | null> => {
    const { values, errors } = store.getState()
    const { online, serverReachable } = useSession.getState()
    if (!enabled || !online || !serverReachable || actions.isConflicted) return null
    if (dirtyNames(store.getState()).length === 0 || refused.current === values) return null
    if (actions.preventsSaving.some((path) => path in errors)) return null
    if (actions.isBusy()) return RETRY_MS
    const outcome = await actions.autosave()
    refused.current = outcome === 'refused' ? values : null
    return outcome === 'unavailable' ? UNAVAILABLE_MS : null
  })
  useEffect(() => {
    let timer = 0
    const schedule = (delay: number) => {
      window.clearTimeout(timer)
      timer = window.setTimeout(() => void attempt().then((again) => again !== null && schedule(again)), delay)
    }
    const stopStore = store.subscribe((state, before) => {
      if (state.values !== before.values) schedule(IDLE_MS)
    })
    const stopSession = useSession.subscribe((session, before) => {
      const isReachable = session.online && session.serverReachable
      if (isReachable && !(before.online && before.serverReachable)) schedule(RETRY_MS)
    })
    return () => {
      stopStore()
      stopSession()
      window.clearTimeout(timer)
    }
  }, [store])
}
