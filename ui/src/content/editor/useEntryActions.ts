import { useCallback, useRef, useState } from 'react'
import { ApiError, request, SAVE_MS } from '../../api/client'
import { isLocalized, useMe, type Model } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { ContentType, Entry } from '../../api/types'
import { isUnavailable } from '../../components/errors'
import { wordingOf } from '../../components/serverMessages'
import { toast, toastError } from '../../components/toast'
import { t } from '../../i18n'
import { queries, refreshLists } from '../../queries'
import { confirmDraftRelations, countDraftRelations, countLinkedDrafts } from '../draftRelations'
import { loadedOf, loadEntry, type Loaded } from './loading'
import type { Place } from './place'
import { dirtyNames, isEqual, type Creation, type EditorStore, type Replay, type Values } from './store'
import { bodyOf, editable, partsByKey, replay, valuesOf, withFormState } from './values'

export type Conflict = { by: string; at: string }
export type Activity = 'autosaving' | 'saving' | 'publishing' | 'unpublishing' | 'discarding' | 'deleting' | null
/**
 * How an action ended: `offline` without any response, `unavailable` where the server cannot be used at the moment,
 * `problems` at fields, `refused` for another reason.
 */
export type Outcome = 'done' | 'offline' | 'unavailable' | 'problems' | 'conflict' | 'refused'

const problemsOf = (error: ApiError): Record<string, string> =>
  Object.fromEntries(error.problems.map((problem) => [problem.path.join('.'), wordingOf(problem)]))

/** Whether a request had no response, or none of the server's: it may have been carried out or not. */
const isUnanswered = (error: unknown) => error instanceof ApiError && (error.status === 0 || isUnavailable(error))

const present = () => Date.now()

type Context = {
  type: ContentType
  model: Model
  locale: string | undefined
  place: Place
  store: EditorStore
  loaded: Loaded
  onLoaded: (loaded: Loaded) => void
  /** A new entry was saved for the first time. */
  onMade: (made: Loaded) => void | Promise<void>
  onSaved: () => void
  /** What somebody asked for was refused for the values of fields. */
  onProblems: () => void
}

/** What can be done to the entry of a form. */
export function useEntryActions({ type, model, locale, place, store, loaded, onLoaded, onMade, onSaved, onProblems }: Context) {
  const me = useMe()
  const [activity, setActivity] = useState<Activity>(null)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  // Stays when the dialog is closed, until a save or what they have settles it.
  const [isConflicted, setConflicted] = useState(false)
  const [savedAt, setSavedAt] = useState<number | null>(null)
  const [isServerAvailable, setServerAvailable] = useState(true)
  /** The problems for which the last save was refused, by path. A draft may have those of a publication. */
  const [preventsSaving, setPreventsSaving] = useState<string[]>([])
  const isSingle = type.kind === 'singleType'
  const query = { locale: isLocalized(type) ? locale : undefined }
  // Actions wait for each other, so each begins with what the one before it has loaded, rendered or not.
  const latest = useRef(loaded)
  const running = useRef<Promise<unknown>>(Promise.resolve())
  const isBusy = useRef(false)
  /** The attributes of a save that had no response: the server may have it or not. */
  const unanswered = useRef<string[] | null>(null)

  const refresh = useCallback(() => {
    void refreshLists()
    void queries.invalidateQueries({ queryKey: ['relations'] })
    void queries.invalidateQueries({ queryKey: ['history', type.uid] })
    void queries.invalidateQueries({ queryKey: ['difference', type.uid] })
    void queries.invalidateQueries({ queryKey: keys.home })
  }, [type.uid])

  const fail = (error: unknown, isQuiet: boolean): Outcome => {
    if (error instanceof ApiError && error.problems.length > 0) {
      store.getState().setErrors(problemsOf(error))
      if (!isQuiet) onProblems()
      return 'problems'
    }
    if (error instanceof ApiError && error.status === 412) {
      const by = error.details?.updatedBy as { firstname?: string; lastname?: string; email?: string } | null
      const name = [by?.firstname, by?.lastname].filter(Boolean).join(' ') || by?.email
      setConflict({ by: name || t('conflict.somebody'), at: String(error.details?.updatedAt ?? '') })
      setConflicted(true)
      return 'conflict'
    }
    if (error instanceof ApiError && error.status === 0) return 'offline' // The bar on top says so.
    const isPassing = isUnavailable(error)
    setServerAvailable(!isPassing)
    // The state of the entry says so as well, for as long as it is so.
    if (!isPassing || !isQuiet) toastError(error)
    return isPassing ? 'unavailable' : 'refused'
  }

  const during = (what: Activity, work: () => Promise<void>): Promise<Outcome> => {
    const next = running.current.then(async (): Promise<Outcome> => {
      isBusy.current = true
      setActivity(what)
      try {
        await work()
        setServerAvailable(true)
        return 'done'
      } catch (error) {
        return fail(error, what === 'autosaving')
      } finally {
        isBusy.current = false
        setActivity(null)
      }
    })
    running.current = next
    return next
  }

  /** Send what is not saved. Returns the document. */
  const send = async (overwrite: boolean, keepsErrors = false): Promise<Loaded> => {
    const { values, saved } = store.getState()
    const { entry, documentId } = latest.current
    if (documentId === null && !isSingle) return create(keepsErrors)
    const isNew = entry === null
    const names = isNew ? editable(type.attributes).map(([name]) => name) : dirtyNames({ values, saved })
    if (!isNew && names.length === 0) return latest.current
    const body = bodyOf(values, names, type, model) as never
    const headers = !isNew && !overwrite && entry.updatedAt ? { 'if-match': `"${entry.updatedAt}"` } : undefined
    let answer
    try {
      answer = isSingle
        ? await request('PUT /content-manager/single-types/{uid}', { path: { uid: type.uid }, query, body, headers, timeout: SAVE_MS })
        : await request('PUT /content-manager/collection-types/{uid}/{id}', { path: { uid: type.uid, id: documentId! }, query, body, headers, timeout: SAVE_MS })
    } catch (error) {
      if (error instanceof ApiError && error.status === 412 && (await wasOurs())) return send(overwrite, keepsErrors)
      if (isUnanswered(error)) unanswered.current = [...new Set([...(unanswered.current ?? []), ...names])]
      if (error instanceof ApiError) setPreventsSaving(Object.keys(problemsOf(error)))
      throw error
    }
    return settle(answer, documentId, values, keepsErrors)
  }

  const beginCreation = (): Creation => {
    const { creation, values, setCreation } = store.getState()
    if (creation) return creation
    const begun = { key: crypto.getRandomValues(new Uint32Array(4)).join('-'), values }
    setCreation(begun)
    return begun
  }

  /** Forget a creation of which it is known that there is no document: a repeated one would have been answered with it. */
  const endFailedCreation = (error: unknown, isRepeated: boolean) => {
    if (!(error instanceof ApiError) || error.status === 0) return
    const isRolledBack = (error.status < 500 && error.details?.isCreated !== true) || error.details?.code !== undefined
    if (isRolledBack || (isRepeated && error.status === 500)) store.getState().setCreation(null)
  }

  /**
   * Create the document. A request whose response was lost is sent again as it was, so that there is only one document;
   * what was typed since then is sent after it.
   */
  const create = async (keepsErrors: boolean): Promise<Loaded> => {
    const isRepeated = store.getState().creation !== null
    const { key, values } = beginCreation()
    let answer
    try {
      answer = await request('POST /content-manager/collection-types/{uid}', { path: { uid: type.uid }, query, body: formBody(values), headers: { 'idempotency-key': key }, timeout: SAVE_MS })
    } catch (error) {
      endFailedCreation(error, isRepeated)
      if (isRepeated && store.getState().creation === null) return create(keepsErrors)
      if (error instanceof ApiError) setPreventsSaving(Object.keys(problemsOf(error)))
      throw error
    }
    const made = await settle(answer, null, values, keepsErrors)
    return isRepeated ? send(false, keepsErrors) : made
  }

  const formBody = (values: Values) => bodyOf(values, editable(type.attributes).map(([name]) => name), type, model) as never

  /** Take over what was stored of a form; a new entry gets its address. */
  const settle = async (answer: unknown, documentId: string | null, sent: Values, keepsErrors = false): Promise<Loaded> => {
    unanswered.current = null
    store.getState().setCreation(null)
    const next = take(answer, documentId, sent, keepsErrors)
    setSavedAt(present())
    setPreventsSaving([])
    setConflict(null)
    setConflicted(false)
    if (documentId === null && !isSingle && next.documentId) await onMade(next)
    return next
  }

  /**
   * Tell whether the version on the server is that of our own save, whose response was lost. Then it is no
   * conflict: the next save is based on it.
   */
  const wasOurs = async (): Promise<boolean> => {
    const names = unanswered.current
    const known = latest.current.entry
    if (!names || !known) return false
    unanswered.current = null
    const theirs = await loadEntry(type, isSingle ? null : latest.current.documentId, locale)
    const { entry } = theirs
    if (entry?.updatedBy?.id !== me.id) return false
    const others = editable(type.attributes).filter(([name]) => !names.includes(name))
    if (!others.every(([name]) => isEqual(entry[name], known[name]))) return false
    latest.current = { ...theirs, others: latest.current.others }
    onLoaded(latest.current)
    return true
  }

  /** Take over what the server has after a change, without disturbing who goes on typing. */
  const take = (answer: unknown, id: string | null, sent = store.getState().saved, keepsErrors = false): Loaded => {
    const raw = answer as { data?: Entry; meta?: object } & Partial<Entry>
    const known = 'documentId' in raw ? { data: raw as Entry, meta: {} } : { data: raw.data ?? null, meta: raw.meta ?? {} }
    const next = loadedOf(known, id)
    const others = 'availableLocales' in known.meta ? next.others : latest.current.others
    const complete = { ...next, others, computed: next.computed ?? latest.current.computed }
    const fresh = valuesOf(complete.entry ?? {}, type, model)
    const kept = Object.fromEntries(Object.entries(fresh).map(([name, value]) => [name, withFormState(value, sent[name])]))
    const parts = partsByKey(kept)
    const replayOne: Replay = (name, value) => {
      const attribute = type.attributes[name]
      return attribute ? replay(value, attribute, model, kept[name], parts) : { value }
    }
    store.getState().accept(sent, kept, { replay: replayOne, keepsErrors })
    latest.current = complete
    onLoaded(complete)
    onSaved()
    refresh()
    return complete
  }

  const save = (overwrite = false) =>
    during('saving', async () => {
      await send(overwrite)
      toast(t('entry.saved'))
    })

  /** Save without a word. Problems of a publication that was refused stay listed. */
  const autosave = () => during('autosaving', async () => void (await send(false, true)))

  /** Save and publish, where the entry leads to drafts after somebody has agreed to that. */
  const publish = async (): Promise<Outcome> => {
    let drafts = 0
    // What may be stored is published as it is, once it is known to be.
    const isNew = () => latest.current.entry === null && store.getState().creation === null
    const outcome = await during('publishing', async () => {
      if (isNew()) {
        drafts = countLinkedDrafts(store.getState().values)
        if (drafts === 0) await publishNew()
        return
      }
      const { documentId: id } = await send(false)
      drafts = await countDraftRelations(type, id, query.locale)
      if (drafts === 0) await publishSaved(id)
    })
    const goOn = async () => (isNew() ? publishNew() : publishSaved((await send(false)).documentId))
    if (drafts > 0) confirmDraftRelations(drafts, () => void during('publishing', goOn))
    return outcome
  }

  /** Save and publish what is not stored yet in one request: one that is refused leaves nothing behind. */
  const publishNew = async () => {
    const { documentId } = latest.current
    const { key, values } = documentId === null && !isSingle ? beginCreation() : { key: '', values: store.getState().values }
    let answer
    try {
      answer = await requestPublication(documentId, formBody(values), key)
    } catch (error) {
      endFailedCreation(error, false)
      throw error
    }
    try {
      await settle(await read((answer as { data: Entry }).data.documentId), documentId, values)
    } catch {
      // It is stored all the same: what else has changed is read before the next save.
      await settle(answer, documentId, values)
      unanswered.current = []
    }
    toast(t('entry.published'))
  }

  const requestPublication = (id: string | null, body: Values, key = '') =>
    isSingle
      ? request('POST /content-manager/single-types/{uid}/actions/publish', { path: { uid: type.uid }, query, body: body as never, timeout: SAVE_MS })
      : id === null
        ? request('POST /content-manager/collection-types/{uid}/actions/publish', { path: { uid: type.uid }, query, body: body as never, headers: { 'idempotency-key': key }, timeout: SAVE_MS })
        : request('POST /content-manager/collection-types/{uid}/{id}/actions/publish', { path: { uid: type.uid, id }, query, body: body as never, timeout: SAVE_MS })

  const publishSaved = async (id: string | null) => {
    try {
      await requestPublication(id, {})
    } catch (error) {
      if (isUnanswered(error)) unanswered.current ??= []
      throw error
    }
    try {
      // A publication answers with the published version; the form has the draft.
      take(await read(id), id)
    } catch (error) {
      if (!isUnanswered(error)) throw error
      // What else has changed is read before the next save.
      unanswered.current ??= []
      const { entry } = latest.current
      latest.current = { ...latest.current, entry: entry && { ...entry, status: 'published' } }
      onLoaded(latest.current)
    }
    toast(t('entry.published'))
  }

  const read = async (id: string | null) =>
    isSingle
      ? await request('GET /content-manager/single-types/{uid}', { path: { uid: type.uid }, query })
      : await request('GET /content-manager/collection-types/{uid}/{id}', { path: { uid: type.uid, id: id! }, query })

  const act = (what: 'unpublish' | 'discard') =>
    during(what === 'unpublish' ? 'unpublishing' : 'discarding', async () => {
      const { documentId } = latest.current
      if (isSingle) await request(`POST /content-manager/single-types/{uid}/actions/${what}`, { path: { uid: type.uid }, query, body: {} as never })
      else await request(`POST /content-manager/collection-types/{uid}/{id}/actions/${what}`, { path: { uid: type.uid, id: documentId! }, query, body: {} as never })
      await takeTheirs()
      toast(t(what === 'unpublish' ? 'entry.unpublished' : 'entry.discarded'))
    })

  /** Load what the server has, and drop what was typed. */
  const takeTheirs = async () => {
    const { documentId } = latest.current
    const next = loadedOf((await read(documentId)) as never, documentId)
    store.getState().load(valuesOf(next.entry ?? {}, type, model))
    latest.current = next
    onLoaded(next)
    setConflict(null)
    setConflicted(false)
    onSaved()
    refresh()
  }

  const remove = (everyLocale: boolean) =>
    during('deleting', async () => {
      const where = { locale: everyLocale && isLocalized(type) ? '*' : query.locale }
      if (isSingle) await request('DELETE /content-manager/single-types/{uid}', { path: { uid: type.uid }, query: where })
      else await request('DELETE /content-manager/collection-types/{uid}/{id}', { path: { uid: type.uid, id: latest.current.documentId! }, query: where })
      store.getState().load(store.getState().saved)
      onSaved()
      refresh()
      toast(t('entry.deleted'))
      if (isSingle) await queries.resetQueries({ queryKey: keys.content(type.uid) })
      else await place.leave()
    })

  return {
    activity, conflict, isConflicted, isServerAvailable, preventsSaving, savedAt, save, autosave, publish, remove, takeTheirs,
    isBusy: () => isBusy.current,
    dismissConflict: () => setConflict(null),
    unpublish: () => act('unpublish'),
    discard: () => act('discard'),
  }
}
