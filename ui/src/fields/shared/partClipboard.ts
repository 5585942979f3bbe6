import { useSyncExternalStore } from 'react'
import type { Model } from '../../api/hooks'
import { editable, newKey, newPart } from '../../content/editor/values'
import type { Values } from '../../content/editor/store'
import { relationsForCopy } from '../relation'
import type { RelationValue } from '../relation/value'

/** A part with its component, as it stands in the clipboard. */
export type CopiedPart = { component: string; values: Values }

const KIND = 'quire/part'
const STORED = 'quire-copied-part'
const CHANGED = 'quire-copied-part-changed'

/** A copy of a part: without its id, with the entries of its relations. */
export async function copyPart(part: Values, uid: string, model: Model, query: { locale?: string; status: string }): Promise<Values> {
  const copy: Values = { ...part, __key: newKey() }
  delete copy.id
  for (const [name, attribute] of editable(model.components.get(uid)?.attributes ?? {})) {
    const value = part[name]
    if (attribute.type === 'relation') {
      const known = value as RelationValue | null
      copy[name] = known?.items
        ? { count: known.items.length, items: known.items, original: [] }
        : known?.count && typeof part.id === 'number'
          ? await relationsForCopy({ model: uid, id: part.id }, name, query)
          : { count: 0 }
    } else if (attribute.type === 'component' && attribute.component && value) {
      copy[name] = Array.isArray(value)
        ? await Promise.all(value.map((one) => copyPart(one as Values, attribute.component!, model, query)))
        : await copyPart(value as Values, attribute.component, model, query)
    }
  }
  return copy
}

/** Put a part into the clipboard as JSON, and into the storage of the browser, which needs no permission to be read. */
export async function writeCopiedPart(copied: CopiedPart): Promise<void> {
  const text = JSON.stringify({ kind: KIND, ...copied })
  localStorage.setItem(STORED, text)
  window.dispatchEvent(new Event(CHANGED))
  // There is no clipboard on addresses that are not secure, and it may be refused.
  await navigator.clipboard?.writeText(text).catch(() => undefined)
}

export function parseCopiedPart(text: string | null | undefined): CopiedPart | null {
  if (!text?.includes(KIND)) return null
  try {
    const { kind, component, values } = JSON.parse(text) as Partial<CopiedPart> & { kind?: unknown }
    return kind === KIND && typeof component === 'string' && typeof values === 'object' && values ? { component, values } : null
  } catch {
    return null
  }
}

/** Make a new part of a copied one: with the attributes that its component has here. */
export function pastedPart({ component, values }: CopiedPart, model: Model, isInZone: boolean): Values | null {
  const attributes = model.components.get(component)?.attributes
  if (!attributes) return null
  const part = newPart(component, model, isInZone)
  for (const [name, attribute] of editable(attributes)) {
    const value = values[name]
    if (value === undefined) continue
    if (attribute.type === 'relation') {
      const { items } = (value ?? {}) as Partial<RelationValue>
      if (items) part[name] = { count: items.length, items, original: [] }
    } else if (attribute.type === 'component' && attribute.component && value) {
      const nested = (one: unknown) => pastedPart({ component: attribute.component!, values: one as Values }, model, false)
      part[name] = Array.isArray(value) ? value.map(nested) : nested(value)
    } else part[name] = value
  }
  return part
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('storage', listener)
  window.addEventListener(CHANGED, listener)
  return () => {
    window.removeEventListener('storage', listener)
    window.removeEventListener(CHANGED, listener)
  }
}

/** The part that was copied last in this browser. */
export const useCopiedPart = (): CopiedPart | null =>
  parseCopiedPart(useSyncExternalStore(subscribe, () => localStorage.getItem(STORED)))
