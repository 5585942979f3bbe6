import type { ContentRequest } from '../api/content'
import { encodeQuery, type QueryValue } from '../api/query'
import { hasDrafts, isLocalized } from '../api/hooks'
import type { ContentType } from '../api/types'
import { encodeFilters, type FilterGroup } from '../content/list/filters'

export const ACTIONS = ['find', 'findOne', 'create', 'update', 'delete'] as const
export type Action = (typeof ACTIONS)[number]

/** A request as the controls of the explorer say it. */
export type Draft = {
  uid: string
  action: Action
  documentId: string
  filters?: FilterGroup
  populate: string[]
  fields: string[]
  sort: string[]
  page?: number
  pageSize?: number
  locale?: string
  status?: string
  body: string
}

const METHODS = { find: 'GET', findOne: 'GET', create: 'POST', update: 'PUT', delete: 'DELETE' } as const

export const emptyDraft = (uid: string): Draft => ({ uid, action: 'find', documentId: '', populate: [], fields: [], sort: [], body: '' })

/** The actions that the API has for a type: a single type is created by its first update. */
export const actionsOf = (type: ContentType): readonly Action[] => (type.kind === 'singleType' ? ['find', 'update', 'delete'] : ACTIONS)
export const needsDocument = (type: ContentType, action: Action): boolean => type.kind === 'collectionType' && action !== 'find' && action !== 'create'
export const isList = (type: ContentType, action: Action): boolean => type.kind === 'collectionType' && action === 'find'
export const hasBody = (action: Action): boolean => action === 'create' || action === 'update'
export const permissionOf = (draft: Draft): string => `${draft.uid}.${draft.action}`

export type Query = { readonly [key: string]: QueryValue }

/** The query of a request, as far as the type and the action have its parameters. */
export function queryOf(type: ContentType, draft: Draft): Query {
  const list = isList(type, draft.action)
  const shapes = draft.action !== 'delete'
  const sought: Record<string, QueryValue> = {
    filters: list ? encodeFilters(draft.filters) : undefined,
    sort: list && draft.sort.length > 0 ? draft.sort : undefined,
    pagination: list && (draft.page || draft.pageSize) ? present({ page: draft.page, pageSize: draft.pageSize }) : undefined,
    fields: shapes && draft.fields.length > 0 ? draft.fields : undefined,
    populate: shapes && draft.populate.length > 0 ? (draft.populate.includes('*') ? '*' : draft.populate) : undefined,
    locale: isLocalized(type) ? draft.locale : undefined,
    status: hasDrafts(type) && shapes ? draft.status : undefined,
  }
  return present(sought)
}

const present = (values: Record<string, QueryValue>): Query => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

export const resourceOf = (type: ContentType): string => (type.kind === 'singleType' ? type.info.singularName : type.info.pluralName)

export function addressOf(type: ContentType, draft: Draft): string {
  const path = `/api/${resourceOf(type)}${needsDocument(type, draft.action) ? `/${encodeURIComponent(draft.documentId)}` : ''}`
  const query = encodeQuery(queryOf(type, draft)).replace(/'/g, '%27')
  return location.origin + path + (query ? `?${query}` : '')
}

export function requestOf(type: ContentType, draft: Draft, token: string | undefined): ContentRequest {
  return { method: METHODS[draft.action], address: addressOf(type, draft), body: hasBody(draft.action) ? draft.body : undefined, token }
}

/** Why a request cannot be sent yet, null if it can. */
export function problemOf(type: ContentType, draft: Draft): 'document' | 'body' | null {
  if (needsDocument(type, draft.action) && !draft.documentId) return 'document'
  return hasBody(draft.action) && parsed(draft.body) === undefined ? 'body' : null
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A body to begin with: what a new entry must have. */
export function bodyFor(type: ContentType): string {
  const required = Object.entries(type.attributes).filter(([, attribute]) => attribute.required && attribute.visible !== false)
  return JSON.stringify({ data: Object.fromEntries(required.map(([name, attribute]) => [name, attribute.default ?? null])) }, null, 2)
}
