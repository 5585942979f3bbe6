import { applyPatches, enablePatches, produceWithPatches, type Patch } from 'immer'
import { create } from 'zustand'
import type { ReservedNames } from '../api/model'
import { bodyOf, changesOf, type Change } from './changes'
import { draftOf, type DraftSchema, type ServerSchema } from './draft'
import { problemsOf, type Problem } from './names'

enablePatches()

type Step = { undo: Patch[]; redo: Patch[]; key: string; at: number }

/** The change that was applied last, from one model to another, which can be undone until the next one begins. */
export type Applied = { before: DraftSchema; after: DraftSchema; removedId: number | null }

type Builder = {
  /** The administrator whose changes these are. */
  owner: string | null
  /** The schema of the server; null until it is loaded. */
  saved: DraftSchema | null
  draft: DraftSchema
  past: Step[]
  future: Step[]
  applied: Applied | null
  /** The field whose panel is open. */
  selected: string | null
  /** The field whose name is to be typed next. */
  focused: string | null
  /** Begin anew where another administrator has signed in. */
  claim: (owner: string) => void
  /** Take the server's schema. Pending changes stay where `keep` is set. */
  load: (server: ServerSchema, keep?: boolean) => void
  /** Change the draft. Changes by the same key in quick succession are one step of undo. */
  change: (recipe: (draft: DraftSchema) => void, key?: string) => void
  /** Make the draft another one, as one step of undo. */
  replace: (draft: DraftSchema) => void
  undo: () => void
  redo: () => void
  discard: () => void
  select: (id: string | null, focus?: boolean) => void
  setApplied: (applied: Applied | null) => void
}

const MERGED_WITHIN_MS = 1200
const LONGEST_HISTORY = 200

const EMPTY = { saved: null, draft: {}, past: [], future: [], applied: null, selected: null, focused: null }

export const useBuilder = create<Builder>((set, get) => ({
  owner: null,
  ...EMPTY,
  claim: (owner) => {
    if (get().owner !== owner) set({ owner, ...EMPTY })
  },
  load: (server, keep = false) => {
    const { draft, saved } = get()
    const loaded = draftOf(server, keep ? (saved ?? {}) : draft)
    set(keep && saved !== null ? { saved: loaded } : { saved: loaded, draft: loaded, past: [], future: [] })
  },
  change: (recipe, key = '') => {
    const { draft, past } = get()
    const [next, redo, undo] = produceWithPatches(draft, recipe)
    if (redo.length === 0) return
    const last = past[past.length - 1]
    const at = Date.now()
    const merges = key !== '' && last?.key === key && at - last.at < MERGED_WITHIN_MS
    const step = merges ? { undo: [...undo, ...last.undo], redo: [...last.redo, ...redo], key, at } : { undo, redo, key, at }
    set({ draft: next, past: [...(merges ? past.slice(0, -1) : past), step].slice(-LONGEST_HISTORY), future: [], applied: null })
  },
  replace: (next) =>
    get().change((draft) => {
      for (const id of Object.keys(draft)) if (!next[id]) delete draft[id]
      Object.assign(draft, next)
    }),
  undo: () => {
    const { draft, past, future } = get()
    const step = past[past.length - 1]
    if (step) set({ draft: applyPatches(draft, step.undo), past: past.slice(0, -1), future: [...future, step] })
  },
  redo: () => {
    const { draft, past, future } = get()
    const step = future[future.length - 1]
    if (step) set({ draft: applyPatches(draft, step.redo), past: [...past, step], future: future.slice(0, -1) })
  },
  discard: () => {
    const { saved } = get()
    if (saved) set({ draft: saved, past: [], future: [], selected: null })
  },
  select: (id, focus = false) => set({ selected: id, focused: focus ? id : null }),
  setApplied: (applied) => set({ applied }),
}))

export const useDraft = (): DraftSchema => useBuilder((state) => state.draft)

/** Compute a value once for all components that ask for it with the same arguments. */
function onceFor<Args extends unknown[], Value>(compute: (...args: Args) => Value): (...args: Args) => Value {
  let last: { args: Args; value: Value } | null = null
  return (...args) => {
    if (!last?.args.every((one, index) => one === args[index])) last = { args, value: compute(...args) }
    return last.value
  }
}

const NO_CHANGES: Change[] = []
const changesBetween = onceFor((saved: DraftSchema | null, draft: DraftSchema): Change[] =>
  saved === null || saved === draft ? NO_CHANGES : changesOf(saved, draft),
)
const bodyBetween = onceFor((saved: DraftSchema | null, draft: DraftSchema) => bodyOf(saved ?? {}, draft))
const problemsIn = onceFor((draft: DraftSchema, changes: Change[], reserved: ReservedNames | undefined): Problem[] =>
  reserved ? problemsOf(draft, new Set(changes.map((change) => change.modelId)), reserved) : [],
)

/** The pending changes, as people are told of them. */
export const useChanges = (): Change[] => useBuilder(({ saved, draft }) => changesBetween(saved, draft))

export const usePendingBody = () => useBuilder(({ saved, draft }) => bodyBetween(saved, draft))

export const useProblems = (reserved: ReservedNames | undefined): Problem[] =>
  useBuilder(({ saved, draft }) => problemsIn(draft, changesBetween(saved, draft), reserved))
