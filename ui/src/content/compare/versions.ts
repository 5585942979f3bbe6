import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/client'
import { hasDrafts, type Model } from '../../api/hooks'
import type { Attribute, ContentType, Entry } from '../../api/types'
import { fieldTypeOf } from '../../fields/registry'
import type { Loaded } from '../editor/loading'
import type { Values } from '../editor/store'
import { editable, newKey, valuesOf } from '../editor/values'
import { fetchRevision, recordedValue, type RevisionName } from './revisions'

/** The version that a draft is compared with: what is published of it, the draft in another locale, or a revision. */
export type Other = { status: 'published' | 'draft'; locale: string | undefined; documentId: string; revision?: RevisionName }

export const PUBLISHED = 'published'
const REVISION = 'revision-'

/** The name of a revision in an address. */
export const revisionName = (revision: RevisionName): string => `${REVISION}${revision}`

/** The version that an address names, null where there is none of that name. */
export function otherOf(name: string | undefined, type: ContentType, loaded: Loaded, locale: string | undefined): Other | null {
  const { entry, documentId } = loaded
  if (!name || !documentId) return null
  if (name === PUBLISHED) {
    const isPublished = entry?.status === 'published' || entry?.status === 'modified'
    return hasDrafts(type) && isPublished ? { status: PUBLISHED, locale, documentId } : null
  }
  if (name.startsWith(REVISION)) {
    const revision = name.slice(REVISION.length)
    if (revision !== 'previous' && !/^\d+$/.test(revision)) return null
    return entry && { status: 'draft', locale, documentId, revision: revision === 'previous' ? revision : Number(revision) }
  }
  return loaded.others.some((one) => one.locale === name) ? { status: 'draft', locale: name, documentId } : null
}

/** What a draft is compared with unless something else is chosen. */
export function defaultOther({ entry, others }: Loaded): string | undefined {
  if (entry?.status === 'modified') return PUBLISHED
  return others[0]?.locale ?? (entry?.status === 'published' ? PUBLISHED : entry ? revisionName('previous') : undefined)
}

export type Source = {
  /** The version as forms show it. */
  shown: Values
  /** Its values for the form of the draft: without ids of their own, with what relations lead to. */
  copies: Values
  /** The revision that it is, and how much it led to that is gone. */
  revision?: { id: number; missing: number }
}

/** A version of a document beside the draft in `target`; null for a revision where there are none. */
export const sourceQuery = (type: ContentType, other: Other, target: string | undefined, model: Model) =>
  queryOptions({
    queryKey: ['content', type.uid, 'compared', other, target],
    gcTime: 0,
    staleTime: Infinity,
    queryFn: async (): Promise<Source | null> => {
      const { locale, status, documentId } = other
      if (other.revision) {
        const found = await fetchRevision(type.uid, documentId, locale, other.revision)
        if (!found) return null
        const missing = { count: 0 }
        const kept = Object.fromEntries(Object.entries(type.attributes).filter(([name]) => name in found.data))
        const values = await copies(found.data, kept, { model, uid: type.uid, id: documentId, copy: (value, attribute) => recordedValue(value, attribute, { locale, missing }) })
        return { shown: values, copies: values, revision: { id: found.id, missing: missing.count } }
      }
      const query = { locale, status }
      const isSingle = type.kind === 'singleType'
      const { data } = (isSingle
        ? await request('GET /content-manager/single-types/{uid}', { path: { uid: type.uid }, query })
        : await request('GET /content-manager/collection-types/{uid}/{id}', { path: { uid: type.uid, id: documentId }, query })) as unknown as { data: Entry }
      // The server says what relations lead to in another locale; of a published version they are read one by one.
      const copied =
        status === PUBLISHED
          ? data
          : (await request('GET /i18n/content-manager/get-fill-from-locale/{model}', {
              path: { model: type.uid },
              query: { documentId, sourceLocale: locale, targetLocale: target, collectionType: isSingle ? 'single-types' : 'collection-types' },
            })).data
      return {
        shown: valuesOf(data, type, model),
        copies: await copies(copied, type.attributes, {
          model, uid: type.uid, id: documentId,
          copy: (value, attribute, field, { uid, id }) => fieldTypeOf(attribute).copy?.(value, { uid, id, field, ...query }),
        }),
      }
    },
  })

/** Where values are copied from, and how those that are no parts are. */
type Owner = {
  model: Model
  uid: string
  id: string | number
  copy: (value: unknown, attribute: Attribute, field: string, owner: Owner) => Promise<unknown> | undefined
}

async function copies(values: Values, attributes: Record<string, Attribute>, owner: Owner): Promise<Values> {
  const found = editable(attributes).map(async ([name, attribute]) => [name, await copy(values[name], name, attribute, owner)] as const)
  return Object.fromEntries(await Promise.all(found))
}

async function copy(value: unknown, name: string, attribute: Attribute, owner: Owner): Promise<unknown> {
  const part = async (one: Values): Promise<Values> => {
    const uid = attribute.component ?? String(one.__component)
    const inner = await copies(one, owner.model.components.get(uid)?.attributes ?? {}, { ...owner, uid, id: one.id as number })
    return { ...inner, ...(attribute.component ? {} : { __component: uid }), __key: newKey() }
  }
  if ((attribute.component ?? attribute.components) && value) {
    return Array.isArray(value) ? Promise.all((value as Values[]).map(part)) : part(value as Values)
  }
  return (await owner.copy(value, attribute, name, owner)) ?? value ?? null
}

type Linked = { count: number; items?: { documentId: string }[] }
const isLinked = (value: object): value is Linked => 'count' in value && Object.keys(value).every((name) => name === 'count' || name === 'items' || name === 'original')
const OF_ROWS = new Set(['id', '__key', 'createdAt', 'updatedAt'])

/** Tell whether two versions say the same, whatever the ids of their rows. Relations whose entries are not known yet are told apart by their number. */
export function isSame(one: unknown, other: unknown): boolean {
  if (isEmptyValue(one) || isEmptyValue(other)) return isEmptyValue(one) && isEmptyValue(other)
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && one.length === other.length && one.every((value, index) => isSame(value, other[index]))
  }
  if (isLinked(one) && isLinked(other)) {
    const { items } = other
    if (!one.items || !items) return one.count === other.count
    return one.items.length === items.length && one.items.every((item, index) => item.documentId === items[index]?.documentId)
  }
  const names = new Set([...Object.keys(one), ...Object.keys(other)].filter((name) => !OF_ROWS.has(name)))
  return [...names].every((name) => isSame((one as Values)[name], (other as Values)[name]))
}

export function isEmptyValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === undefined || value === ''
  return Array.isArray(value) ? value.length === 0 : isLinked(value) && value.count === 0
}
