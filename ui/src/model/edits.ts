import { fieldNamed, knownName, modelOf, newId, without, type DraftField, type DraftModel, type DraftSchema, type Properties } from './draft'
import { otherSideOf, type Link } from './relations'

/** Changes of a draft. Each keeps the rest of it in step, as the server will. */

export function addField(model: DraftModel, name: string, properties: Properties, at = model.fields.length): DraftField {
  const field = { id: newId(), name, properties }
  model.fields.splice(at, 0, field)
  return field
}

export function renameField(schema: DraftSchema, model: DraftModel, field: DraftField, name: string): void {
  const before = knownName(field)
  const other = otherSide(schema, model, field)
  field.name = name
  if (model.fields.some((one) => one.id !== field.id && one.name === name)) field.alias = `${name} ${field.id}`
  else delete field.alias
  const known = knownName(field)
  if (other) {
    other.properties.targetAttribute = known
    if (other.properties.inversedBy !== undefined) other.properties.inversedBy = known
    if (other.properties.mappedBy !== undefined) other.properties.mappedBy = known
  }
  for (const { properties } of model.fields) {
    if (properties.targetField === before && before !== '') properties.targetField = known
    const condition = conditionOf(properties)
    if (condition?.field === before) properties.conditions = conditionFor({ ...condition, field: known })
  }
}

export function removeField(schema: DraftSchema, model: DraftModel, field: DraftField): void {
  const other = otherSide(schema, model, field)
  const target = modelOf(schema, field.properties.target)
  model.fields = model.fields.filter((one) => one.id !== field.id)
  for (const { properties } of model.fields) if (properties.targetField === knownName(field)) delete properties.targetField
  if (other && target) target.fields = target.fields.filter((one) => one.id !== other.id)
}

/** The field on the other side of a relation. */
export function otherSide(schema: DraftSchema, model: DraftModel, field: DraftField): DraftField | undefined {
  const { target, targetAttribute } = field.properties
  if (!target || !targetAttribute) return undefined
  const found = fieldNamed(modelOf(schema, target), targetAttribute)
  return found?.properties.target === model.uid && found.properties.targetAttribute === knownName(field) ? found : undefined
}

/** Let a relation be of another kind, lead elsewhere, or have another name on its other side. */
export function setLink(schema: DraftSchema, model: DraftModel, field: DraftField, link: Link): void {
  const former = otherSide(schema, model, field)
  const formerTarget = modelOf(schema, field.properties.target)
  const target = modelOf(schema, link.target)
  const inverse = link.inverse || null
  const stays = former !== undefined && inverse !== null && target !== undefined && target.id === formerTarget?.id
  if (stays) renameField(schema, target, former, inverse)
  else if (former && formerTarget) formerTarget.fields = formerTarget.fields.filter((one) => one.id !== former.id)
  const known = stays ? knownName(former) : inverse
  const owns = link.relation !== 'oneToMany'
  field.properties = {
    ...without(field.properties, ['inversedBy', 'mappedBy']),
    relation: link.relation,
    target: link.target,
    targetAttribute: known,
    ...(known ? { [owns ? 'inversedBy' : 'mappedBy']: known } : {}),
  }
  if (!inverse || !target) return
  const properties = otherSideOf(link.relation, model.uid, knownName(field), owns)
  if (stays) former.properties = { ...without(former.properties, ['inversedBy', 'mappedBy']), ...properties }
  else if (!fieldNamed(target, inverse)) addField(target, inverse, properties)
}

export function addModel(schema: DraftSchema, model: Omit<DraftModel, 'id'>): DraftModel {
  const id = newId()
  schema[id] = { ...model, id }
  return schema[id]
}

/** Take a model away, with all that leads to it. */
export function removeModel(schema: DraftSchema, model: DraftModel): void {
  delete schema[model.id]
  for (const other of Object.values(schema)) {
    other.fields = other.fields.filter(({ properties }) => properties.target !== model.uid && properties.component !== model.uid)
    for (const { properties } of other.fields) {
      if (properties.components) properties.components = properties.components.filter((uid) => uid !== model.uid)
    }
    other.fields = other.fields.filter(({ properties }) => properties.components === undefined || properties.components.length > 0 || properties.component !== undefined)
  }
}

/** Give a model another uid, and let all that leads to it follow. */
export function setUid(schema: DraftSchema, model: DraftModel, uid: string): void {
  const before = model.uid
  model.uid = uid
  for (const { properties } of Object.values(schema).flatMap((other) => other.fields)) {
    if (properties.target === before) properties.target = uid
    if (properties.component === before) properties.component = uid
    if (properties.components?.includes(before)) {
      properties.components = properties.components.map((one) => (one === before ? uid : one))
    }
  }
}

/** Make a model what a schema file says. Raises an Error that says what is wrong with the file. */
export function takeFile(schema: DraftSchema, model: DraftModel, file: unknown): void {
  if (!isObject(file)) throw new Error('{}')
  const { info, attributes } = file
  if (!isObject(info) || typeof info.displayName !== 'string') throw new Error('info.displayName')
  if (!isObject(attributes)) throw new Error('attributes')
  for (const [name, properties] of Object.entries(attributes)) {
    if (!isObject(properties) || typeof properties.type !== 'string') throw new Error(`attributes.${name}.type`)
  }
  model.info = { ...model.info, description: undefined, icon: undefined, ...pick(info, ['displayName', 'description', 'icon']) }
  if (!model.isComponent) {
    if (typeof info.pluralName === 'string') model.info.pluralName = info.pluralName
    if (file.kind === 'collectionType' || file.kind === 'singleType') model.kind = file.kind
  }
  if (isObject(file.options)) model.options = file.options
  model.pluginOptions = isObject(file.pluginOptions) ? file.pluginOptions : {}
  const before = model.fields
  for (const field of before) if (!(field.name in attributes)) removeField(schema, model, field)
  model.fields = Object.entries(attributes).map(([name, given]) => {
    const properties = { ...(given as Properties) }
    if (typeof properties.target === 'string') {
      properties.targetAttribute = (properties.inversedBy ?? properties.mappedBy ?? null) as string | null
    }
    const known = before.find((field) => field.name === name)
    return { id: known?.id ?? newId(), name, properties }
  })
}

export type Condition = { field: string; is: boolean; value: unknown }

/** The condition under which a field shows, as far as the builder can edit it. */
export function conditionOf(properties: Properties): Condition | undefined {
  const rule = properties.conditions?.visible
  if (!isObject(rule)) return undefined
  const [operator] = Object.keys(rule)
  const operands = operator ? rule[operator] : undefined
  if (!Array.isArray(operands) || !isObject(operands[0]) || typeof operands[0].var !== 'string') return undefined
  return { field: operands[0].var, is: operator === '==', value: operands[1] as unknown }
}

export const conditionFor = ({ field, is, value }: Condition): { visible: unknown } => ({
  visible: { [is ? '==' : '!=']: [{ var: field }, value] },
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const pick = (value: Record<string, unknown>, names: string[]): Record<string, string> =>
  Object.fromEntries(names.filter((name) => typeof value[name] === 'string').map((name) => [name, value[name] as string]))
