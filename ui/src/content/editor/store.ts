import { produce } from 'immer'
import { createContext, useCallback, useContext, useMemo } from 'react'
import { createStore, useStore, type StoreApi } from 'zustand'

export type Path = readonly (string | number)[]
export type Values = Record<string, unknown>

/** A request to create a document. By its key the server recognizes the same request when it is repeated. */
export type Creation = { key: string; values: Values }

/** The attributes that a step changed, before and after it. */
type Step = { before: Values; after: Values; key: string; at: number }

/**
 * Bring the value of an attribute from before a save up to date with what the server has since then.
 * Returns null where the value cannot be sent again without loss.
 */
export type Replay = (name: string, value: unknown) => { value: unknown } | null

export type EditorState = {
  values: Values
  /** What the server has, as far as it is known. */
  saved: Values
  /** Problems by path, as the server or the form names them. */
  errors: Record<string, string>
  /** Texts that somebody has typed and that are no value, by path: JSON that does not end yet. */
  invalid: Record<string, string>
  /** The request that was to create the document, as long as it has no response: there may be a document or not. */
  creation: Creation | null
  past: Step[]
  future: Step[]
  /** Grows with each change: fields that keep a state of their own start anew when it jumps. */
  generation: number
}

export type EditorActions = {
  set: (path: Path, value: unknown) => void
  /** Set a value that follows from another one: it is no step to undo. */
  derive: (path: Path, value: unknown) => void
  change: (path: Path, recipe: (value: never) => unknown) => void
  undo: () => void
  redo: () => void
  /** Take what the server has; undo does not reach beyond. */
  load: (values: Values) => void
  /** Take what the server has after saving: fields that somebody types in go on undisturbed. */
  accept: (sent: Values, values: Values, options: { replay: Replay; keepsErrors?: boolean }) => void
  /** Replace a value by one that says the same in more detail; this is no change. */
  detail: (path: Path, value: unknown) => void
  /** Put values in that are not saved yet, as one step. */
  restore: (values: Values, invalid?: Record<string, string>) => void
  setCreation: (creation: Creation | null) => void
  setInvalid: (path: Path, text: string | null) => void
  setErrors: (errors: Record<string, string>) => void
}

export type EditorStore = StoreApi<EditorState & EditorActions>

const MERGED_WITHIN_MS = 1000
const LONGEST_HISTORY = 200

export const pathKey = (path: Path): string => path.join('.')

export function getIn(values: unknown, path: Path): unknown {
  let value = values
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}

function setIn(values: Values, path: Path, value: unknown): void {
  let at = values as Record<string | number, unknown>
  for (const step of path.slice(0, -1)) {
    if (typeof at[step] !== 'object' || at[step] === null) at[step] = {}
    at = at[step] as Record<string | number, unknown>
  }
  const last = path[path.length - 1]
  if (last !== undefined) at[last] = value
}

/** The state of one form: values, what is saved, problems, and steps to undo. */
export function createEditorStore(initial: Values, now: () => number = Date.now): EditorStore {
  return createStore((set, get) => {
    const commit = (path: Path, recipe: (draft: Values) => void, merges: boolean) => {
      const state = get()
      const values = produce(state.values, recipe)
      if (values === state.values) return
      const key = pathKey(path)
      const last = state.past[state.past.length - 1]
      const at = now()
      const names = Object.keys(values).filter((name) => values[name] !== state.values[name])
      const step: Step = { before: pick(state.values, names), after: pick(values, names), key, at }
      const continues = merges && last && last.key === key && at - last.at < MERGED_WITHIN_MS && state.future.length === 0
      const past = continues ? [...state.past.slice(0, -1), { ...step, before: last.before }] : [...state.past, step]
      set({ values, past: past.slice(-LONGEST_HISTORY), future: [], errors: withoutErrors(state.errors, key) })
    }
    return {
      values: initial,
      saved: initial,
      errors: {},
      invalid: {},
      creation: null,
      past: [],
      future: [],
      generation: 0,
      set: (path, value) => commit(path, (draft) => setIn(draft, path, value), true),
      derive: (path, value) => {
        const { values, errors } = get()
        set({ values: produce(values, (draft) => setIn(draft, path, value)), errors: withoutErrors(errors, pathKey(path)) })
      },
      change: (path, recipe) =>
        commit(path, (draft) => setIn(draft, path, recipe(getIn(get().values, path) as never)), false),
      undo: () => {
        const { past, future, values, generation } = get()
        const step = past[past.length - 1]
        if (!step) return
        set({
          values: { ...values, ...step.before },
          past: past.slice(0, -1),
          future: [...future, step],
          invalid: {},
          generation: generation + 1,
        })
      },
      redo: () => {
        const { past, future, values, generation } = get()
        const step = future[future.length - 1]
        if (!step) return
        set({
          values: { ...values, ...step.after },
          past: [...past, step],
          future: future.slice(0, -1),
          invalid: {},
          generation: generation + 1,
        })
      },
      load: (values) =>
        set({ values, saved: values, errors: {}, invalid: {}, past: [], future: [], generation: get().generation + 1 }),
      accept: (sent, values, { replay, keepsErrors }) => {
        const { values: current, past, future, errors } = get()
        const next = { ...values }
        for (const name of Object.keys(current)) {
          if (!isEqual(current[name], sent[name])) next[name] = (replay(name, current[name]) ?? { value: current[name] }).value
        }
        set({
          values: next,
          saved: values,
          errors: keepsErrors ? errors : {},
          past: replayed(past, replay),
          future: replayed(future, replay),
        })
      },
      detail: (path, value) => {
        const { values, saved } = get()
        if (getIn(values, path) !== getIn(saved, path)) return
        const put = (draft: Values) => setIn(draft, path, value)
        set({ values: produce(values, put), saved: produce(saved, put) })
      },
      restore: (restored, invalid) => {
        commit([], (draft) => Object.assign(draft, restored), false)
        set({ generation: get().generation + 1, invalid: invalid ?? get().invalid })
      },
      setCreation: (creation) => set({ creation }),
      setInvalid: (path, text) => {
        const { [pathKey(path)]: before, ...invalid } = get().invalid
        if (text !== null) set({ invalid: { ...invalid, [pathKey(path)]: text } })
        else if (before !== undefined) set({ invalid })
      },
      setErrors: (errors) => set({ errors }),
    }
  })
}

const pick = (values: Values, names: string[]): Values => Object.fromEntries(names.map((name) => [name, values[name]]))

/** The latest steps that can still be undone, or redone, after a save. */
function replayed(steps: Step[], replay: Replay): Step[] {
  const kept: Step[] = []
  for (const step of [...steps].reverse()) {
    const [before, after] = [replayedValues(step.before, replay), replayedValues(step.after, replay)]
    if (!before || !after) break
    kept.unshift({ ...step, before, after })
  }
  return kept
}

function replayedValues(values: Values, replay: Replay): Values | null {
  const next: Values = {}
  for (const [name, value] of Object.entries(values)) {
    const found = replay(name, value)
    if (!found) return null
    next[name] = found.value
  }
  return next
}

function withoutErrors(errors: Record<string, string>, key: string): Record<string, string> {
  const left = Object.entries(errors).filter(([path]) => path !== key && !path.startsWith(`${key}.`))
  return left.length === Object.keys(errors).length ? errors : Object.fromEntries(left)
}

/** Compare two values by what they hold. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [first, second] = [a as Values, b as Values]
  const names = Object.keys(first)
  return names.length === Object.keys(second).length && names.every((name) => isEqual(first[name], second[name]))
}

/** The attributes whose value is not saved. */
export function dirtyNames(state: Pick<EditorState, 'values' | 'saved'>): string[] {
  const names = new Set([...Object.keys(state.values), ...Object.keys(state.saved)])
  return [...names].filter((name) => !isEqual(state.values[name], state.saved[name]))
}

/** Whether the form has input that is not saved. */
export const isUnsaved = (state: Pick<EditorState, 'values' | 'saved' | 'invalid'>): boolean =>
  dirtyNames(state).length > 0 || Object.keys(state.invalid).length > 0

export const EditorContext = createContext<EditorStore | null>(null)

export function useEditor(): EditorStore {
  const store = useContext(EditorContext)
  if (!store) throw new Error('A field stands outside of a form')
  return store
}

/** The value at a path, its problem, and how to change it. Only a change of these renders again. */
export function useField<Value = unknown>(path: Path) {
  const store = useEditor()
  const key = pathKey(path)
  // The path is a new list at each render; its key is what it is known by.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const known = useMemo(() => path, [key])
  const value = useStore(store, (state) => getIn(state.values, known)) as Value
  const error = useStore(store, (state) => state.errors[key])
  const set = useCallback((changed: Value) => store.getState().set(known, changed), [store, known])
  const change = useCallback(
    (recipe: (value: Value) => unknown) => store.getState().change(known, recipe as (value: never) => unknown),
    [store, known],
  )
  return { value, error, set, change }
}
