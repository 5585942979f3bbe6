import { useEffect, useMemo, useState } from 'react'
import { dropStored, keysOfClosedPages, pageKey, readStored, saveAfterChanges, writeStored } from '../pageStorage'
import { changesOf, type Change } from './changes'
import { fieldNamed, modelOf, type DraftSchema } from './draft'
import { mergeChanges, type Merged } from './merge'
import { useBuilder } from './store'

/** Pending changes as the browser keeps them: the model that they were made to, and what it was to become. */
type Pending = { at: number; from: DraftSchema; to: DraftSchema }
type StoredPending = { key: string; pending: Pending }

const PREFIX = 'quire-model'

/** Documents have ids of their own in each project: one of an administrator tells the project, too. */
const prefixOf = (owner: string): string => `${PREFIX} ${owner} `

/** Keep the pending changes in the browser until they are applied or discarded. */
export function useStorePendingChanges(owner: string): void {
  useEffect(() => {
    const key = pageKey(prefixOf(owner))
    return saveAfterChanges(
      useBuilder,
      (state, before) => state.draft !== before.draft || state.saved !== before.saved,
      () => {
        const { saved, draft } = useBuilder.getState()
        if (saved === null || changesOf(saved, draft).length === 0) dropStored(key)
        else writeStored(key, { at: Date.now(), from: saved, to: draft } satisfies Pending)
      },
    )
  }, [owner])
}

export type StoredChanges = Merged & { at: number; changes: Change[]; resume: () => void; drop: () => void }

/** What pages that are closed by now have left pending, the newest first, on the model as it is now. */
export function useStoredChanges(owner: string): StoredChanges | null {
  const saved = useBuilder((state) => state.saved)
  const [left, setLeft] = useState<StoredPending[]>([])
  useEffect(() => {
    let ended = false
    void storedPendings(owner).then((found) => !ended && setLeft(found))
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
function firstFitting(left: StoredPending[], saved: DraftSchema | null) {
  if (!saved) return null
  for (const { key, pending } of left) {
    const merged = mergedWith(saved, pending)
    const changes = changesOf(saved, merged.draft)
    if (changes.length + merged.conflicts.length > 0) return { ...merged, key, at: pending.at, changes }
  }
  return null
}

async function storedPendings(owner: string): Promise<StoredPending[]> {
  return (await keysOfClosedPages(prefixOf(owner)))
    .map((key) => ({ key, pending: readStored(key) as Pending | null }))
    .filter((one): one is StoredPending => typeof one.pending?.at === 'number' && isSchema(one.pending.from) && isSchema(one.pending.to))
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
