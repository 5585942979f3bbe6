import { current, isDraft } from 'immer'
import { conditionOf, addField, removeField } from './edits'
import { fieldNamed, isLocalizedModel, newId, without, type DraftField, type DraftModel, type DraftSchema, type Properties } from './draft'
import { builderOf } from '../fields/builder'

/** Copies of fields and types. The other side of a relation belongs to one field alone: a copy leads one way. */

/** Relations of a type whose copies nothing leads back to. Those to itself are copied with both sides. */
export const oneWayCopies = (model: DraftModel): string[] =>
  model.fields.filter(({ properties }) => properties.targetAttribute && properties.target !== model.uid).map((field) => field.name)

/** The fields of a model for a copy of it that has another uid. */
export const copiedFields = (model: DraftModel, uid: string): DraftField[] =>
  model.fields.map(({ name, properties }) => ({
    id: newId(),
    name,
    properties: properties.target === model.uid ? { ...cloned(properties), target: uid } : oneWay(properties),
  }))

const cloned = (properties: Properties): Properties => structuredClone(isDraft(properties) ? current(properties) : properties)

const oneWay = (properties: Properties): Properties =>
  properties.targetAttribute === undefined
    ? cloned(properties)
    : { ...without(cloned(properties), ['inversedBy', 'mappedBy']), targetAttribute: null }

/** Whether a model can have a field of these properties. */
export const canHold = (model: DraftModel, { properties }: DraftField): boolean =>
  !model.isComponent || (!builderOf(properties).notInComponents && properties.component !== model.uid)

/** The properties of a field as they can be in another model. */
export function fittedProperties(properties: Properties, target: DraftModel): Properties {
  const fitted = oneWay(properties)
  const condition = conditionOf(fitted)
  if (condition && !fieldNamed(target, condition.field)) delete fitted.conditions
  if (fitted.targetField && !fieldNamed(target, fitted.targetField)) delete fitted.targetField
  const { i18n, ...rest } = fitted.pluginOptions ?? {}
  if (i18n && !isLocalizedModel(target)) {
    if (Object.keys(rest).length > 0) fitted.pluginOptions = rest
    else delete fitted.pluginOptions
  }
  return fitted
}

/** A name that a model has no field of yet. */
export function freeName(model: DraftModel, name: string): string {
  let free = name
  for (let number = 2; fieldNamed(model, free); number += 1) free = `${name}${number}`
  return free
}

/** Take fields out of a model and put a component with the same fields in the place of the first. */
export function moveIntoComponent(schema: DraftSchema, model: DraftModel, ids: string[], component: DraftModel, name: string): void {
  const moved = model.fields.filter((field) => ids.includes(field.id) && canHold(component, field))
  const at = model.fields.findIndex((field) => field.id === moved[0]?.id)
  // Names first: what one of the fields says of another stays where both move.
  for (const field of moved) addField(component, field.name, {} as Properties)
  for (const field of moved) {
    const copy = fieldNamed(component, field.name)
    if (copy) copy.properties = fittedProperties(field.properties, component)
  }
  for (const field of moved) removeField(schema, model, field)
  const localized = isLocalizedModel(model) ? { pluginOptions: { i18n: { localized: true } } } : {}
  addField(model, freeName(model, name), { type: 'component', component: component.uid, repeatable: false, ...localized }, Math.max(0, at))
}
