import { fieldNamed, modelOf, type DraftField, type DraftModel, type DraftSchema, type Properties } from './draft'

/** How one schema becomes another: what people are told, and the body of an update-schema. */

export type Change = {
  kind: 'addModel' | 'removeModel' | 'renameModel' | 'changeModel' | 'addField' | 'removeField' | 'renameField' | 'changeField' | 'orderFields'
  modelId: string
  model: string
  fieldId?: string
  name?: string
  before?: string
}

type Entry = Record<string, unknown>
export type SchemaBody = { data: { contentTypes: Entry[]; components: Entry[] } }

export function changesOf(from: DraftSchema, to: DraftSchema): Change[] {
  const changes: Change[] = []
  for (const model of Object.values(to)) {
    const before = from[model.id]
    const about = { modelId: model.id, model: model.info.displayName }
    if (!before) {
      changes.push({ kind: 'addModel', ...about })
      continue
    }
    if (before.uid !== model.uid) changes.push({ kind: 'renameModel', ...about, before: before.uid, name: model.uid })
    if (headText(before) !== headText(model)) changes.push({ kind: 'changeModel', ...about })
    const known = new Map(before.fields.map((field) => [field.id, field]))
    for (const field of model.fields) {
      const earlier = known.get(field.id)
      const named = { ...about, fieldId: field.id, name: field.name }
      if (!earlier) changes.push({ kind: 'addField', ...named })
      else {
        if (earlier.name !== field.name) changes.push({ kind: 'renameField', ...named, before: earlier.name })
        if (!isSame(from, before, earlier, to, model, field)) changes.push({ kind: 'changeField', ...named })
      }
    }
    for (const field of before.fields) {
      if (!model.fields.some((one) => one.id === field.id)) changes.push({ kind: 'removeField', ...about, name: field.name })
    }
    if (isReordered(before, model)) changes.push({ kind: 'orderFields', ...about })
  }
  for (const model of Object.values(from)) {
    if (!to[model.id]) changes.push({ kind: 'removeModel', modelId: model.id, model: model.info.displayName })
  }
  return changes
}

export function bodyOf(from: DraftSchema, to: DraftSchema): SchemaBody {
  const body: SchemaBody = { data: { contentTypes: [], components: [] } }
  const put = (model: DraftModel, entry: Entry) => body.data[model.isComponent ? 'components' : 'contentTypes'].push(entry)
  for (const model of Object.values(to)) {
    const before = from[model.id]
    if (!before) {
      put(model, { action: 'create', ...headOf(model), attributes: model.fields.map((field) => attributeOf('create', field)) })
      continue
    }
    const attributes = attributesOf(from, before, to, model)
    const renamed = before.uid !== model.uid
    if (attributes.length === 0 && !renamed && headText(before) === headText(model)) continue
    put(model, { action: 'update', ...headOf(model), ...(renamed ? { formerUid: before.uid } : {}), attributes })
  }
  for (const model of Object.values(from)) if (!to[model.id]) put(model, { action: 'delete', uid: model.uid })
  return body
}

function attributesOf(from: DraftSchema, before: DraftModel, to: DraftSchema, model: DraftModel): Entry[] {
  const known = new Map(before.fields.map((field) => [field.id, field]))
  const gone = before.fields.filter((field) => !model.fields.some((one) => one.id === field.id))
  const moved = isReordered(before, model)
  const entries: Entry[] = gone.map((field) => ({ action: 'delete', name: field.name }))
  for (const field of model.fields) {
    const earlier = known.get(field.id)
    const renamed = earlier !== undefined && earlier.name !== field.name
    if (!earlier) entries.push(attributeOf('create', field))
    else if (moved || renamed || !isSame(from, before, earlier, to, model, field)) {
      entries.push({ ...attributeOf('update', field), ...(renamed ? { formerName: earlier.name } : {}) })
    }
  }
  return entries
}

const attributeOf = (action: 'create' | 'update', field: DraftField): Entry => ({
  action,
  name: field.name,
  properties: written(field.properties),
})

/** Properties as the server takes them: a custom field by its own type, and nothing that says nothing. */
function written(properties: Properties): Entry {
  const entry = Object.fromEntries(
    Object.entries(properties).filter(([name, value]) => name === 'targetAttribute' || (value !== undefined && value !== null && value !== '')),
  )
  return properties.customField ? { ...entry, type: 'customField' } : entry
}

function headOf(model: DraftModel): Entry {
  const { displayName, singularName, pluralName, description, icon } = model.info
  const common = { uid: model.uid, displayName, description: description ?? '', pluginOptions: model.pluginOptions }
  if (model.isComponent) return { ...common, category: model.category, icon: icon ?? '' }
  return {
    ...common,
    singularName,
    pluralName,
    kind: model.kind,
    options: model.options,
    draftAndPublish: model.options.draftAndPublish === true,
    ...(model.collectionName ? { collectionName: model.collectionName } : {}),
  }
}

const headText = (model: DraftModel): string =>
  sortedJson({ ...headOf(model), uid: undefined, singularName: undefined, category: undefined })

/** Whether fields are not in the order in which the server would put them by itself. */
function isReordered(before: DraftModel, model: DraftModel): boolean {
  const ids = model.fields.map((field) => field.id)
  const stay = before.fields.map((field) => field.id).filter((id) => ids.includes(id))
  const come = ids.filter((id) => !stay.includes(id))
  return [...stay, ...come].some((id, index) => id !== ids[index])
}

function isSame(from: DraftSchema, before: DraftModel, earlier: DraftField, to: DraftSchema, model: DraftModel, field: DraftField): boolean {
  // Most fields are neither changed nor point to anything that could have another name now.
  if (earlier === field && NAMES_OTHERS.every((option) => field.properties[option] === undefined)) return true
  return canonical(from, before, earlier.properties) === canonical(to, model, field.properties)
}

const NAMES_OTHERS = ['target', 'component', 'components', 'targetField', 'targetAttribute'] as const

/** Properties with ids for names, so that what follows a rename by itself is no change. */
function canonical(schema: DraftSchema, model: DraftModel, properties: Properties): string {
  const idOf = (uid: unknown) => modelOf(schema, String(uid))?.id ?? uid
  const target = modelOf(schema, properties.target)
  return sortedJson({
    ...written(properties),
    target: idOf(properties.target),
    component: idOf(properties.component),
    components: properties.components?.map(idOf),
    targetField: fieldNamed(model, properties.targetField)?.id ?? properties.targetField,
    targetAttribute: fieldNamed(target, properties.targetAttribute)?.id ?? properties.targetAttribute ?? null,
    inversedBy: properties.inversedBy !== undefined,
    mappedBy: properties.mappedBy !== undefined,
  })
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
