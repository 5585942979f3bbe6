import { useEffect, useMemo, useState } from 'react'
import { dropStored, keysOfClosedPages, pageKey, readStored, writeStored } from '../pageStorage'
import { changesOf, type Change } from './changes'
import { fieldNamed, modelOf, type DraftSchema } from './draft'
import { mergeChanges, type Merged } from './merge'
import { useBuilder } from './store'

/** Pending changes as the browser keeps them: the model that they were made to, and what it was to become. */
type Pending = { at: number; from: DraftSchema; to: DraftSchema }
type Left = { key: string; pending: Pending }

const PREFIX = 'quire-model'
const KEPT_AFTER_MS = 300

/** Documents have ids of their own in each project: one of an administrator tells the project, too. */
const prefixOf = (owner: string): string => `${PREFIX} ${owner} `

/** Keep the pending changes in the browser until they are applied or discarded. */
export function useKeptChanges(owner: string): void {
  useEffect(() => {
    const key = pageKey(prefixOf(owner))
    let timer = 0
    let isWaiting = false
    const flush = () => {
      window.clearTimeout(timer)
      if (!isWaiting) return
      isWaiting = false
      const { saved, draft } = useBuilder.getState()
      if (saved === null || changesOf(saved, draft).length === 0) dropStored(key)
      else writeStored(key, { at: Date.now(), from: saved, to: draft } satisfies Pending)
    }
    const stop = useBuilder.subscribe((state, before) => {
      if (state.draft === before.draft && state.saved === before.saved) return
      window.clearTimeout(timer)
      isWaiting = true
      timer = window.setTimeout(flush, KEPT_AFTER_MS)
    })
    window.addEventListener('pagehide', flush)
    return () => {
      stop()
      flush()
      window.removeEventListener('pagehide', flush)
    }
  }, [owner])
}

export type Offer = Merged & { at: number; changes: Change[]; resume: () => void; drop: () => void }

/** What pages that are closed by now have left pending, the newest first, on the model as it is now. */
export function useLeftChanges(owner: string): Offer | null {
  const saved = useBuilder((state) => state.saved)
  const [left, setLeft] = useState<Left[]>([])
  useEffect(() => {
    let ended = false
    void leftChanges(owner).then((found) => !ended && setLeft(found))
    return () => {
      ended = true
    }
  }, [owner])
  const found = useMemo(() => firstFitting(left, saved), [left, saved])
  if (!found) return null
  const drop = () => {
    dropStored(found.key)
    setLeft((all) => all.filter((one) => one.key !== found.key))
  }
  const resume = () => {
    useBuilder.getState().replace(found.draft)
    drop()
  }
  return { ...found, resume, drop }
}

/** The first changes of which something is left to do, or to tell. */
function firstFitting(left: Left[], saved: DraftSchema | null) {
  if (!saved) return null
  for (const { key, pending } of left) {
    const merged = mergedWith(saved, pending)
    const changes = changesOf(saved, merged.draft)
    if (changes.length + merged.unfit.length > 0) return { ...merged, key, at: pending.at, changes }
  }
  return null
}

async function leftChanges(owner: string): Promise<Left[]> {
  return (await keysOfClosedPages(prefixOf(owner)))
    .map((key) => ({ key, pending: readStored(key) as Pending | null }))
    .filter((one): one is Left => typeof one.pending?.at === 'number' && isSchema(one.pending.from) && isSchema(one.pending.to))
    .sort((a, b) => b.pending.at - a.pending.at)
}

const isSchema = (value: unknown): boolean => typeof value === 'object' && value !== null

/** Put changes on the present model, whose ids those of the model they were made to get by name. */
export function mergedWith(present: DraftSchema, { from, to }: Pick<Pending, 'from' | 'to'>): Merged {
  const ids = new Map<string, string>()
  for (const model of Object.values(from)) {
    const found = modelOf(present, model.uid)
    if (found) ids.set(model.id, found.id)
    for (const field of model.fields) {
      const own = fieldNamed(found, field.name)
      if (own) ids.set(field.id, own.id)
    }
  }
  const idOf = (id: string) => ids.get(id) ?? id
  const renumbered = (schema: DraftSchema): DraftSchema =>
    Object.fromEntries(
      Object.values(schema).map((model) => [
        idOf(model.id),
        { ...model, id: idOf(model.id), fields: model.fields.map((field) => ({ ...field, id: idOf(field.id) })) },
      ]),
    )
  return mergeChanges(present, renumbered(from), renumbered(to))
}
