import { applyPatches, enablePatches, produceWithPatches, type Patch } from 'immer'
import { createContext, useCallback, useContext, useMemo } from 'react'
import { createStore, useStore, type StoreApi } from 'zustand'

enablePatches()

export type Path = readonly (string | number)[]
export type Values = Record<string, unknown>

type Step = { undo: Patch[]; redo: Patch[]; key: string; at: number }

export type EditorState = {
  values: Values
  /** What the server has, as far as it is known. */
  saved: Values
  /** Problems by path, as the server or the form names them. */
  errors: Record<string, string>
  past: Step[]
  future: Step[]
  /** Grows with each change: fields that keep a state of their own start anew when it jumps. */
  generation: number
}

export type EditorActions = {
  set: (path: Path, value: unknown) => void
  change: (path: Path, recipe: (value: never) => unknown) => void
  undo: () => void
  redo: () => void
  /** Take what the server has; undo does not reach beyond. */
  load: (values: Values) => void
  /** Take what the server has after saving: fields that somebody types in go on undisturbed. */
  accept: (sent: Values, values: Values) => void
  /** Put values in that are not saved yet, as one step. */
  restore: (values: Values) => void
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
      const [values, redo, undo] = produceWithPatches(state.values, recipe)
      if (redo.length === 0) return
      const key = pathKey(path)
      const last = state.past[state.past.length - 1]
      const at = now()
      const step: Step =
        merges && last && last.key === key && at - last.at < MERGED_WITHIN_MS && state.future.length === 0
          ? { undo: [...undo, ...last.undo], redo: [...last.redo, ...redo], key, at }
          : { undo, redo, key, at }
      const before = step.undo.length > undo.length ? state.past.slice(0, -1) : state.past
      const errors = withoutErrors(state.errors, key)
      set({ values, past: [...before, step].slice(-LONGEST_HISTORY), future: [], errors })
    }
    return {
      values: initial,
      saved: initial,
      errors: {},
      past: [],
      future: [],
      generation: 0,
      set: (path, value) => commit(path, (draft) => setIn(draft, path, value), true),
      change: (path, recipe) =>
        commit(path, (draft) => setIn(draft, path, recipe(getIn(get().values, path) as never)), false),
      undo: () => {
        const { past, future, values, generation } = get()
        const step = past[past.length - 1]
        if (!step) return
        set({
          values: applyPatches(values, step.undo),
          past: past.slice(0, -1),
          future: [...future, step],
          generation: generation + 1,
        })
      },
      redo: () => {
        const { past, future, values, generation } = get()
        const step = future[future.length - 1]
        if (!step) return
        set({
          values: applyPatches(values, step.redo),
          past: [...past, step],
          future: future.slice(0, -1),
          generation: generation + 1,
        })
      },
      load: (values) =>
        set({ values, saved: values, errors: {}, past: [], future: [], generation: get().generation + 1 }),
      accept: (sent, values) => {
        const { values: current } = get()
        const next = { ...values }
        for (const name of Object.keys(current)) if (current[name] !== sent[name]) next[name] = current[name]
        set({ values: next, saved: values, errors: {}, past: [], future: [] })
      },
      restore: (restored) => {
        commit([], (draft) => Object.assign(draft, restored), false)
        set({ generation: get().generation + 1 })
      },
      setErrors: (errors) => set({ errors }),
    }
  })
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
