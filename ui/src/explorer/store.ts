import { useLocalStorage } from '@mantine/hooks'
import { create } from 'zustand'
import { useSession } from '../api/client'
import type { ContentResponse, Reader } from '../api/content'
import { useMe } from '../api/hooks'
import type { Draft } from './request'

export type RunAs = 'nobody' | 'token' | Reader['kind']

type Explorer = {
  draft: Draft | null
  runAs: RunAs
  token: string
  /** The role and the end user that were chosen last, by id. */
  role: number | null
  user: number | null
  /** The last response, with the request that it answers, and the role of the end user who asked. */
  answer: { draft: Draft; runAs: RunAs; role: number | null; response: ContentResponse } | null
}

const EMPTY: Explorer = { draft: null, runAs: 'nobody', token: '', role: null, user: null, answer: null }

/** The request that is being made. It is kept in memory alone, since it may hold a token. */
export const useExplorer = create<Explorer>(() => EMPTY)
useSession.subscribe((session) => {
  if (session.status === 'anonymous') useExplorer.setState(EMPTY)
})

export type Sent = { draft: Draft; status: number; at: number }
export type Saved = { name: string; draft: Draft }

const HISTORY_LENGTH = 20

/** Requests of this browser, without tokens: those sent last, and those saved under a name. */
export function useStoredRequests() {
  const { id } = useMe()
  const [history, setHistory] = useLocalStorage<Sent[]>({ key: `quire-admin-explorer-history-${id}`, defaultValue: [] })
  const [saved, setSaved] = useLocalStorage<Saved[]>({ key: `quire-admin-explorer-saved-${id}`, defaultValue: [] })
  return {
    history,
    saved,
    note: (sent: Omit<Sent, 'at'>) => setHistory((known) => [{ ...sent, at: Date.now() }, ...known.filter((one) => JSON.stringify(one.draft) !== JSON.stringify(sent.draft))].slice(0, HISTORY_LENGTH)),
    save: (name: string, draft: Draft) => setSaved((known) => [...known.filter((one) => one.name !== name), { name, draft }]),
    forget: (name: string) => setSaved((known) => known.filter((one) => one.name !== name)),
    clear: () => setHistory([]),
  }
}
