import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useRef, useState } from 'react'
import { ApiError, request } from '../../api/client'
import { isLocalized, type Model } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { ContentType, Entry } from '../../api/types'
import { toast, toastError } from '../../components/toast'
import { t } from '../../i18n'
import { queries } from '../../queries'
import { loadedOf, type Loaded } from './loading'
import { dirtyNames, type EditorStore } from './store'
import { bodyOf, editable, valuesOf, withKeysOf } from './values'

export type Conflict = { by: string; at: string }
export type Activity = 'saving' | 'publishing' | 'unpublishing' | 'discarding' | 'deleting' | null

/** Problems of a publication that is refused right after the entry was made, for the form that follows. */
export const problemsToShow = new Map<string, Record<string, string>>()

/** Messages by path; the wording for a missing value is that of a schema library, not of people. */
function problemsOf(error: ApiError): Record<string, string> {
  return Object.fromEntries(
    error.problems.map(({ path, message }) => [
      path.join('.'),
      / must be defined\.?$|the final value was: `null`/.test(message) ? t('problems.missing') : message,
    ]),
  )
}

const present = () => Date.now()

function notifyProblems(count: number): void {
  notifications.show({ color: 'red', title: t('problems.title', { count }), message: t('problems.listed'), autoClose: 6000 })
}

type Context = {
  type: ContentType
  model: Model
  locale: string | undefined
  store: EditorStore
  loaded: Loaded
  onLoaded: (loaded: Loaded) => void
  onSaved: () => void
}

/** What can be done to the entry of a form. Each returns whether it was done. */
export function useEntryActions({ type, model, locale, store, loaded, onLoaded, onSaved }: Context) {
  const navigate = useNavigate()
  const [activity, setActivity] = useState<Activity>(null)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [savedAt, setSavedAt] = useState<number | null>(null)
  const busy = useRef(false)
  const isSingle = type.kind === 'singleType'
  const query = { locale: isLocalized(type) ? locale : undefined }
  const { documentId, entry } = loaded

  const refresh = useCallback(() => {
    void queries.invalidateQueries({ queryKey: [...keys.content(type.uid), 'list'] })
    void queries.invalidateQueries({ queryKey: ['relations'] })
    void queries.invalidateQueries({ queryKey: ['history', type.uid] })
    void queries.invalidateQueries({ queryKey: keys.home })
  }, [type.uid])

  const fail = (error: unknown) => {
    if (error instanceof ApiError && error.problems.length > 0) {
      store.getState().setErrors(problemsOf(error))
      notifyProblems(error.problems.length)
      return
    }
    if (error instanceof ApiError && error.status === 412) {
      const by = error.details?.updatedBy as { firstname?: string; lastname?: string; email?: string } | null
      const name = [by?.firstname, by?.lastname].filter(Boolean).join(' ') || by?.email
      setConflict({ by: name || t('conflict.somebody'), at: String(error.details?.updatedAt ?? '') })
      return
    }
    if (error instanceof ApiError && error.status === 0) return // The bar on top says so.
    toastError(error)
  }

  const during = async (what: Activity, work: () => Promise<void>): Promise<boolean> => {
    if (busy.current) return false
    busy.current = true
    setActivity(what)
    try {
      await work()
      return true
    } catch (error) {
      fail(error)
      return false
    } finally {
      busy.current = false
      setActivity(null)
    }
  }

  /** Send what is not saved. Returns the document. */
  const send = async (overwrite: boolean): Promise<Loaded> => {
    const { values, saved } = store.getState()
    const isNew = entry === null
    const names = isNew ? editable(type.attributes).map(([name]) => name) : dirtyNames({ values, saved })
    if (!isNew && names.length === 0) return loaded
    const body = bodyOf(values, names, type, model) as never
    const headers = !isNew && !overwrite && entry.updatedAt ? { 'if-match': `"${entry.updatedAt}"` } : undefined
    const answer = isSingle
      ? await request('PUT /content-manager/single-types/{uid}', { path: { uid: type.uid }, query, body, headers })
      : documentId === null
        ? await request('POST /content-manager/collection-types/{uid}', { path: { uid: type.uid }, query, body })
        : await request('PUT /content-manager/collection-types/{uid}/{id}', { path: { uid: type.uid, id: documentId }, query, body, headers })
    const next = take(answer, documentId, values)
    setSavedAt(present())
    setConflict(null)
    return next
  }

  /** Take over what the server has after a change, without disturbing who goes on typing. */
  const take = (answer: unknown, id: string | null, sent = store.getState().values): Loaded => {
    const raw = answer as { data?: Entry; meta?: object } & Partial<Entry>
    const known = 'documentId' in raw ? { data: raw as Entry, meta: {} } : { data: raw.data ?? null, meta: raw.meta ?? {} }
    const next = loadedOf(known, id)
    const others = 'availableLocales' in known.meta ? next.others : loaded.others
    const complete = { ...next, others }
    const fresh = valuesOf(complete.entry ?? {}, type, model)
    const kept = Object.fromEntries(Object.entries(fresh).map(([name, value]) => [name, withKeysOf(value, sent[name])]))
    store.getState().accept(sent, kept)
    onLoaded(complete)
    onSaved()
    refresh()
    return complete
  }

  const moveTo = async (id: string) => {
    onSaved()
    await navigate({ to: '/content/$uid/$documentId', params: { uid: type.uid, documentId: id }, search: locale ? { locale } : {}, replace: true, ignoreBlocker: true })
  }

  const save = (overwrite = false) =>
    during('saving', async () => {
      const wasNew = documentId === null && !isSingle
      const next = await send(overwrite)
      toast(t('entry.saved'))
      if (wasNew && next.documentId) await moveTo(next.documentId)
    })

  const publish = () =>
    during('publishing', async () => {
      const wasNew = documentId === null && !isSingle
      const next = await send(false)
      try {
        const answer = isSingle
          ? await request('POST /content-manager/single-types/{uid}/actions/publish', { path: { uid: type.uid }, query, body: {} as never })
          : await request('POST /content-manager/collection-types/{uid}/{id}/actions/publish', {
              path: { uid: type.uid, id: next.documentId! }, query, body: {} as never,
            })
        take(answer, next.documentId)
        await reload(next.documentId)
        toast(t('entry.published'))
      } catch (error) {
        if (wasNew && next.documentId && error instanceof ApiError) {
          problemsToShow.set(next.documentId, problemsOf(error))
        }
        throw error
      } finally {
        if (wasNew && next.documentId) await moveTo(next.documentId)
      }
    })

  /** Load the draft again: a publication answers with the published version. */
  const reload = async (id: string | null) => {
    const answer = isSingle
      ? await request('GET /content-manager/single-types/{uid}', { path: { uid: type.uid }, query })
      : await request('GET /content-manager/collection-types/{uid}/{id}', { path: { uid: type.uid, id: id! }, query })
    take(answer, id)
  }

  const act = (what: 'unpublish' | 'discard') =>
    during(what === 'unpublish' ? 'unpublishing' : 'discarding', async () => {
      if (isSingle) await request(`POST /content-manager/single-types/{uid}/actions/${what}`, { path: { uid: type.uid }, query, body: {} as never })
      else await request(`POST /content-manager/collection-types/{uid}/{id}/actions/${what}`, { path: { uid: type.uid, id: documentId! }, query, body: {} as never })
      await takeTheirs()
      toast(t(what === 'unpublish' ? 'entry.unpublished' : 'entry.discarded'))
    })

  /** Load what the server has, and drop what was typed. */
  const takeTheirs = async () => {
    const answer = isSingle
      ? await request('GET /content-manager/single-types/{uid}', { path: { uid: type.uid }, query })
      : await request('GET /content-manager/collection-types/{uid}/{id}', { path: { uid: type.uid, id: documentId! }, query })
    const next = loadedOf(answer as never, documentId)
    store.getState().load(valuesOf(next.entry ?? {}, type, model))
    onLoaded(next)
    setConflict(null)
    onSaved()
    refresh()
  }

  const remove = (everyLocale: boolean) =>
    during('deleting', async () => {
      const where = { locale: everyLocale && isLocalized(type) ? '*' : query.locale }
      if (isSingle) await request('DELETE /content-manager/single-types/{uid}', { path: { uid: type.uid }, query: where })
      else await request('DELETE /content-manager/collection-types/{uid}/{id}', { path: { uid: type.uid, id: documentId! }, query: where })
      store.getState().load(store.getState().saved)
      onSaved()
      refresh()
      toast(t('entry.deleted'))
      if (isSingle) await queries.resetQueries({ queryKey: keys.content(type.uid) })
      else await navigate({ to: '/content/$uid', params: { uid: type.uid }, search: locale ? { locale } : {}, ignoreBlocker: true })
    })

  return {
    activity, conflict, savedAt, save, publish, remove, takeTheirs,
    dismissConflict: () => setConflict(null),
    unpublish: () => act('unpublish'),
    discard: () => act('discard'),
  }
}
