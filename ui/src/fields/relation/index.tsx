import { Badge, Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { request } from '../../api/client'
import { hasDrafts, useAbility, useModel } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { ContentType, Entry } from '../../api/types'
import { RetryLine } from '../../components/States'
import { toastError } from '../../components/toast'
import { useEntryScope } from '../../content/editor/scope'
import { getIn, useEditor, useField, type Values } from '../../content/editor/store'
import { fieldTypeOf } from '../registry'
import { Nothing } from '../shared/cells'
import { ValueDiff } from '../shared/diffs'
import { FieldFrame } from '../shared/Frame'
import { ListDiff } from '../shared/ListDiff'
import { listChanges } from '../shared/listChanges'
import { LINK } from '../shared/operators'
import { useFocusAfterRemoval } from '../shared/useFocusAfterRemoval'
import type { CellProps, DiffProps, FieldType, InputProps, RelatedItem } from '../types'
import { RelationFilter } from './Filter'
import { LinkedItems } from './LinkedItems'
import { Picker } from './Picker'
import { recordedItems } from './recorded'
import { isToMany, itemsOf, replayRelation, sentRelation, type RelationValue } from './value'

// A form for the entries of a relation: it holds all fields again, so it is loaded when it is opened.
const EntryDrawer = lazy(() => import('../../content/editor/EntryDrawer'))

const PAGE = 100
const NEW = 'create'

/** What a relation leads to, in the order in which it does: the server tells the last one first. */
async function linkedItems(
  owner: { model: string; id: string | number },
  field: string,
  query: { locale?: string; status: string },
): Promise<RelatedItem[]> {
  const found: RelatedItem[] = []
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const part = await request('GET /content-manager/relations/{model}/{id}/{field}', {
      path: { ...owner, field },
      query: { ...query, page, pageSize: PAGE },
    })
    const { results, pagination } = part as unknown as { results: RelatedItem[]; pagination?: { pageCount: number } }
    found.push(...results)
    pages = pagination?.pageCount ?? 1
  }
  return found.reverse()
}

function Input(props: InputProps) {
  const { t } = useTranslation()
  const { attribute, path, locked } = props
  const scope = useEntryScope()
  const model = useModel()
  const ability = useAbility()
  const store = useEditor()
  const { value, error, set } = useField<RelationValue | null | undefined>(path)
  const field = String(path[path.length - 1])
  const target = attribute.target ?? ''
  const targetType = model.types.get(target)
  const many = isToMany(attribute)
  const mainField = props.meta?.mainField ?? 'documentId'

  // A relation of a component belongs to the part, which the server knows once it is saved.
  const parent = path.length === 1 ? null : (path.slice(0, -1) as (string | number)[])
  const part = useStore(store, (state) => (parent ? getIn(state.values, parent) : null)) as { id?: number; __component?: string } | null
  const partModel = usePartModel(props)
  const owner = parent
    ? part?.id && partModel ? { model: partModel, id: part.id } : null
    : scope.documentId ? { model: scope.uid, id: scope.documentId } : null
  const query = { locale: scope.locale, status: scope.status }
  const linked = useQuery({
    queryKey: keys.relations(owner?.model ?? '', owner?.id ?? '', field, query),
    enabled: owner !== null && (value?.count ?? 0) > 0 && value?.items === undefined,
    staleTime: 30_000,
    queryFn: () => linkedItems(owner!, field, query),
  })
  const [drawer, setDrawer] = useState<{ documentId: string; locale?: string; given?: Values } | null>(null)
  /** Entries as they were saved in the drawer. */
  const [fresh, setFresh] = useState<Record<string, RelatedItem>>({})
  const items = (itemsOf(value) ?? linked.data ?? []).map((item) => ({ ...item, ...fresh[item.documentId] }))
  const { list, onRemove } = useFocusAfterRemoval(items.length, String)
  const put = (next: RelatedItem[]) => {
    const original = value?.items ? value.original : (linked.data ?? [])
    // Undo has to know the entries from before, also after a save.
    if (!value?.items && path.length === 1) store.getState().detail(path, { count: items.length, items, original: items })
    set({ count: next.length, items: next, original })
  }
  const ready = value?.items !== undefined || (value?.count ?? 0) === 0 || linked.data !== undefined
  const label = (item: RelatedItem) => String(item[mainField] ?? item.documentId)
  const add = (item: RelatedItem) => put(many ? [...items, item] : [item])
  const readable = targetType?.isDisplayed && ability.canContent('read', target)
  const mayCreate = targetType?.isDisplayed && targetType.kind === 'collectionType' && ability.canContent('create', target)
  const closeDrawer = useCallback(() => setDrawer(null), [])
  /** An entry of the drawer was saved: one that is new is linked now, others may have another title. */
  const saved = (entry: Entry) => {
    const item = { id: entry.id, documentId: entry.documentId, locale: entry.locale, status: entry.status, [mainField]: entry[mainField] }
    if (drawer?.documentId === NEW && !items.some((one) => one.documentId === item.documentId)) add(item)
    else setFresh((all) => ({ ...all, [item.documentId]: item }))
  }
  const deleted = () => put(items.filter((one) => one.documentId !== drawer?.documentId))
  return (
    <FieldFrame
      {...props}
      error={error}
      side={many && items.length > 0 ? <Text size="xs" c="dimmed">{items.length}</Text> : undefined}
    >
      <Stack gap={6} ref={list}>
        {linked.isLoading && <Loader size="xs" />}
        {linked.error && <RetryLine error={linked.error} retry={() => void linked.refetch()} />}
        {items.length > 0 && (
          <LinkedItems
            label={props.label}
            items={items}
            titleOf={label}
            addressOf={(item) => `/admin/content/${target}${targetType?.kind === 'singleType' ? '' : `/${item.documentId}`}${item.locale ? `?locale=${item.locale}` : ''}`}
            onOpen={readable ? (item) => setDrawer({ documentId: item.documentId, locale: item.locale ?? undefined }) : undefined}
            onChange={locked ? undefined : put}
            onRemove={onRemove}
          />
        )}
        {!locked && targetType && (
          <Picker
            label={props.label}
            owner={owner}
            model={parent ? partModel : scope.uid}
            field={field}
            mainField={mainField}
            placeholder={many ? t('relation.add', { type: targetType.info.displayName }) : items.length > 0 ? t('relation.change') : t('relation.choose', { type: targetType.info.displayName })}
            disabled={!ready}
            chosen={items}
            showsStatus={hasDrafts(targetType)}
            onPick={add}
            onCreate={mayCreate ? (text) => setDrawer({ documentId: NEW, locale: scope.locale, given: givenFor(targetType, mainField, text) }) : undefined}
            typeName={targetType.info.displayName}
          />
        )}
        {locked && items.length === 0 && !linked.isLoading && <Nothing />}
      </Stack>
      {drawer && (
        <Suspense>
          <EntryDrawer
            uid={target}
            documentId={drawer.documentId}
            locale={drawer.locale}
            given={drawer.given}
            above={scope.level}
            onClose={closeDrawer}
            onSaved={saved}
            onDeleted={deleted}
          />
        </Suspense>
      )}
    </FieldFrame>
  )
}

/** What an entry begins with that is made of the text of a search: its title. */
function givenFor(type: ContentType, mainField: string, text: string): Values | undefined {
  const attribute = type.attributes[mainField]
  const fromText = attribute && fieldTypeOf(attribute).fromText
  return text && fromText ? { [mainField]: fromText(text) } : undefined
}

/** The model of the part that a relation stands in: that of its component. */
function usePartModel({ path }: InputProps): string | null {
  const { type } = useEntryScope()
  const model = useModel()
  const store = useEditor()
  return useStore(store, (state) => {
    let attributes = type.attributes
    let uid: string | null = null
    for (let depth = 0; depth < path.length - 1; depth += 1) {
      const step = path[depth]
      if (typeof step === 'number') {
        const zone = getIn(state.values, path.slice(0, depth + 1)) as { __component?: string } | undefined
        if (zone?.__component) uid = zone.__component
      } else if (step !== undefined) {
        const attribute: { component?: string } | undefined = attributes[step]
        if (attribute?.component) uid = attribute.component
      }
      if (uid) attributes = model.components.get(uid)?.attributes ?? attributes
    }
    return uid
  })
}

function Cell({ value, mainField }: CellProps) {
  const { t } = useTranslation()
  if (Array.isArray(value)) return value.length ? <span>{t('relation.count', { count: value.length })}</span> : <Nothing />
  if (typeof value !== 'object' || value === null) return <Nothing />
  const one = value as Record<string, unknown>
  if (typeof one.count === 'number' && one.documentId === undefined) {
    return one.count > 0 ? <Badge size="sm" variant="default" tt="none" fw={500}>{one.count}</Badge> : <Nothing />
  }
  return <span>{String(one[mainField ?? 'documentId'] ?? one.documentId ?? one.id)}</span>
}

/** The entries that a relation leads to; undefined where no more than their number is known. */
function linkedIn(value: unknown): Record<string, unknown>[] | undefined {
  if (Array.isArray(value)) return value as Record<string, unknown>[]
  if (typeof value !== 'object' || value === null) return []
  const { count, items } = value as { count?: unknown; items?: Record<string, unknown>[] }
  if (items ?? count === 0) return items ?? []
  return 'documentId' in value ? [value as Record<string, unknown>] : undefined
}

const TITLES = ['title', 'name', 'label', 'displayName', 'username', 'firstname', 'slug', 'documentId']

function Diff({ before, after, attribute }: DiffProps) {
  const [left, right] = [linkedIn(before), linkedIn(after)]
  const count = (value: unknown) => (value as { count?: number } | null)?.count
  if (!left || !right) return <ValueDiff before={left?.length ?? count(before)} after={right?.length ?? count(after)} attribute={attribute} />
  const changes = listChanges(left, right, { keyOf: (one) => String(one.documentId) })
  return <ListDiff changes={changes} show={(one) => String(TITLES.map((name) => one[name]).find(Boolean) ?? one.id)} />
}

export const relation: FieldType = {
  Input,
  Cell,
  Diff,
  copy: async (value, { uid, id, field, locale, status }) => {
    // A form that is filled from another locale is told what to connect.
    const connected = (value as { connect?: RelatedItem[] } | null)?.connect
    const items = connected ?? (await linkedItems({ model: uid, id }, field, { locale, status }))
    return { count: items.length, items }
  },
  recorded: (value, attribute, source) => recordedItems(linkedIn(value) ?? [], attribute, source),
  filter: { operators: LINK, Value: RelationFilter },
  initial: () => ({ count: 0 }),
  replay: (value, _attribute, { current }) => replayRelation(value as RelationValue | null, current as RelationValue | null),
  serialize: (value, attribute) => sentRelation(value as RelationValue | null, attribute),
}

/** Fetch what the relations of a part lead to, so that a copy of it leads there too. */
export async function relationsForCopy(
  owner: { model: string; id: number },
  field: string,
  query: { locale?: string; status: string },
): Promise<RelationValue> {
  try {
    const items = await linkedItems(owner, field, query)
    return { count: items.length, items, original: [] }
  } catch (error) {
    toastError(error)
    return { count: 0 }
  }
}

