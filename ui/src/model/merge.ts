import { produce } from 'immer'
import { t } from '../i18n'
import { sentenceOf } from './describe'
import type { Change } from './changes'
import { fieldNamed, modelOf, type DraftField, type DraftModel, type DraftSchema, type Properties } from './draft'
import { removeField, removeModel, renameField, setUid } from './edits'

/** Changes that were made to an earlier model, on the present one. All three schemas have the same ids. */

export type Merged = { draft: DraftSchema; conflicts: string[] }

type Values = Record<string, unknown>

export function mergeChanges(present: DraftSchema, from: DraftSchema, to: DraftSchema): Merged {
  const conflicts: string[] = []
  const reportConflict = (change: Omit<Change, 'modelId'>, reason: 'gone' | 'taken' | 'changed') =>
    conflicts.push(t(`model.unfit.${reason}`, { model: change.model, change: sentenceOf({ ...change, modelId: '' }) }))
  const draft = produce(present, (schema) => {
    for (const wanted of Object.values(to)) {
      if (from[wanted.id]) continue
      if (modelOf(schema, wanted.uid)) reportConflict({ kind: 'addModel', model: wanted.info.displayName }, 'taken')
      else schema[wanted.id] = structuredClone({ ...wanted })
    }
    for (const before of Object.values(from)) {
      const wanted = to[before.id]
      const found = schema[before.id]
      if (!wanted) {
        if (found) removeModel(schema, found)
      } else if (!found) {
        if (JSON.stringify(before) !== JSON.stringify(wanted)) reportConflict({ kind: 'changeModel', model: before.info.displayName }, 'gone')
      } else mergeModel(schema, found, before, wanted, reportConflict)
    }
    dropDangling(schema, to, reportConflict)
  })
  return { draft, conflicts }
}

type ReportConflict = (change: Omit<Change, 'modelId'>, reason: 'gone' | 'taken' | 'changed') => void

function mergeModel(schema: DraftSchema, found: DraftModel, before: DraftModel, wanted: DraftModel, reportConflict: ReportConflict): void {
  const model = found.info.displayName
  const head = ({ info, options, pluginOptions, kind, category, collectionName }: DraftModel): Values =>
    ({ ...info, options, pluginOptions, kind, category, collectionName })
  const { values, conflicts } = mergeValues(head(found), head(before), head(wanted))
  if (conflicts.length > 0) reportConflict({ kind: 'changeModel', model }, 'changed')
  const { options, pluginOptions, kind, category, collectionName, ...info } = values
  Object.assign(found, { options, pluginOptions, kind, category, collectionName, info })
  if (wanted.uid !== before.uid && found.uid !== wanted.uid) {
    if (modelOf(schema, wanted.uid)) reportConflict({ kind: 'renameModel', model, name: wanted.uid }, 'taken')
    else setUid(schema, found, wanted.uid)
  }
  for (const field of before.fields) {
    const later = wanted.fields.find((one) => one.id === field.id)
    const own = found.fields.find((one) => one.id === field.id)
    if (!later) {
      if (own) removeField(schema, found, own)
    } else if (own) mergeField(schema, found, own, field, later, reportConflict)
    else if (!isSameField(field, later)) reportConflict({ kind: 'changeField', model, name: field.name }, 'gone')
  }
  for (const field of wanted.fields) {
    if (before.fields.some((one) => one.id === field.id)) continue
    if (fieldNamed(found, field.name)) reportConflict({ kind: 'addField', model, name: field.name }, 'taken')
    else found.fields.push(structuredClone({ ...field }))
  }
  const order = wanted.fields.map((one) => one.id)
  const isMoved = order.join() !== [...before.fields.map((one) => one.id).filter((id) => order.includes(id)), ...order].filter((id, at, all) => all.indexOf(id) === at).join()
  // Fields that somebody else has added stay behind those whose order is known.
  const place = ({ id }: DraftField) => (order.includes(id) ? order.indexOf(id) : order.length)
  if (isMoved) found.fields.sort((a, b) => place(a) - place(b))
}

function mergeField(schema: DraftSchema, found: DraftModel, own: DraftField, before: DraftField, later: DraftField, reportConflict: ReportConflict): void {
  const about = { model: found.info.displayName, name: later.name }
  if (later.name !== before.name && own.name !== later.name) {
    if (fieldNamed(found, later.name)) reportConflict({ kind: 'renameField', ...about, before: before.name }, 'taken')
    else renameField(schema, found, own, later.name)
  }
  const { values, conflicts } = mergeValues(own.properties, before.properties, later.properties)
  if (conflicts.length > 0) reportConflict({ kind: 'changeField', ...about }, 'changed')
  own.properties = values as Properties
}

/** Values that were changed to something else on both sides stay as they are, and are told. */
function mergeValues(present: Values, before: Values, wanted: Values): { values: Values; conflicts: string[] } {
  const values = { ...present }
  const conflicts: string[] = []
  for (const name of new Set([...Object.keys(before), ...Object.keys(wanted)])) {
    const [now, earlier, later] = [present[name], before[name], wanted[name]].map((one) => JSON.stringify(one) ?? '')
    if (later === earlier || later === now) continue
    if (now !== earlier) conflicts.push(name)
    else if (wanted[name] === undefined) delete values[name]
    else values[name] = structuredClone(wanted[name])
  }
  return { values, conflicts }
}

/** Take away fields that lead to what is not there any more. */
function dropDangling(schema: DraftSchema, wanted: DraftSchema, reportConflict: ReportConflict): void {
  const isKnown = (uid: string | undefined) => !uid || !modelOf(wanted, uid) || modelOf(schema, uid) !== undefined
  for (const model of Object.values(schema)) {
    for (const field of [...model.fields]) {
      const { target, component, components = [] } = field.properties
      if ([target, component, ...components].every(isKnown)) continue
      reportConflict({ kind: 'addField', model: model.info.displayName, name: field.name }, 'gone')
      model.fields = model.fields.filter((one) => one.id !== field.id)
    }
  }
}

const isSameField = (a: DraftField, b: DraftField): boolean => JSON.stringify(a) === JSON.stringify(b)
