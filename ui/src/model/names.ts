import { i18next, t } from '../i18n'
import type { ReservedNames } from '../api/model'
import { conditionOf } from './edits'
import { fieldNamed, knownName, modelOf, typeUid, type DraftField, type DraftModel, type DraftSchema } from './draft'
import { kindOf, needsInverse } from './relations'

/** Names as the server demands them, and what is wrong with those of a draft. */

const FIELD_NAME = /^[A-Za-z][_0-9A-Za-z]*$/
const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

export const kebab = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+|-+$/g, '')

export function plural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** What someone types as the name of a field, as a name: spaces become capitals. */
export const asFieldName = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[\s-]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/[^_0-9A-Za-z]/g, '')

const snake = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/-/g, '_').toLowerCase()

function isReserved(name: string, reserved: string[]): boolean {
  const told = snake(name)
  return reserved.some((one) => (one.endsWith('*') ? told.startsWith(one.slice(0, -1).toLowerCase()) : told === snake(one)))
}

export function fieldNameProblem(model: DraftModel, field: { id: string; name: string }, reserved: ReservedNames): string | undefined {
  const { name } = field
  if (name === '') return t('model.problem.name')
  if (!FIELD_NAME.test(name)) return t('model.problem.fieldName')
  if (isReserved(name, reserved.attributes)) return t('model.problem.reserved', { name })
  const taken = model.fields.some((other) => other.id !== field.id && snake(other.name) === snake(name))
  return taken ? t('model.problem.fieldTaken', { name }) : undefined
}

export type TypeNames = { singularName: string; pluralName: string }

/** What is wrong with the names of a content type, by name. */
export function typeNameProblems(schema: DraftSchema, id: string | undefined, names: TypeNames, reserved: ReservedNames): Partial<TypeNames> {
  const others = Object.values(schema).filter((model) => !model.isComponent && model.id !== id)
  const taken = new Set(others.flatMap(({ info }) => [info.singularName, info.pluralName]))
  const problemOf = (name: string) => {
    if (name === '') return t('model.problem.name')
    if (!KEBAB.test(name)) return t('model.problem.kebab')
    if (isReserved(name, reserved.models)) return t('model.problem.reserved', { name })
    return taken.has(name) ? t('model.problem.typeTaken', { name }) : undefined
  }
  const found = { singularName: problemOf(names.singularName), pluralName: problemOf(names.pluralName) }
  if (!found.pluralName && names.singularName === names.pluralName) found.pluralName = t('model.problem.samePlural')
  if (!found.singularName && modelOf(schema, typeUid(names.singularName)) && schema[id ?? '']?.uid !== typeUid(names.singularName)) {
    found.singularName = t('model.problem.typeTaken', { name: names.singularName })
  }
  return found
}

/** The uid that a component has by its category and name, which may be taken. */
export const componentUid = ({ category, info }: Pick<DraftModel, 'category' | 'info'>): string => `${kebab(category)}.${info.singularName}`

export function componentUidProblem(schema: DraftSchema, id: string | undefined, uid: string): string | undefined {
  const [category = '', name = ''] = uid.split('.')
  if (!KEBAB.test(category) || !KEBAB.test(name)) return t('model.problem.kebab')
  const found = modelOf(schema, uid)
  return found && found.id !== id ? t('model.problem.componentTaken', { name: uid }) : undefined
}

export type Problem = { modelId: string; fieldId?: string; option: string; message: string }

/** Everything that the server would refuse of a draft, as far as it can be told here. */
export function problemsOf(schema: DraftSchema, changed: Set<string>, reserved: ReservedNames): Problem[] {
  const problems: Problem[] = []
  for (const model of Object.values(schema)) {
    if (!changed.has(model.id)) continue
    const put = (option: string, message: string | undefined, field?: DraftField) => {
      if (message) problems.push({ modelId: model.id, fieldId: field?.id, option, message })
    }
    if (model.info.displayName.trim() === '') put('displayName', t('model.problem.name'))
    if (model.isComponent) put('uid', componentUidProblem(schema, model.id, componentUid(model)))
    else if (model.uid.startsWith('api::')) {
      const found = typeNameProblems(schema, model.id, model.info, reserved)
      put('singularName', found.singularName)
      put('pluralName', found.pluralName)
    }
    for (const field of model.fields) {
      put('name', fieldNameProblem(model, field, reserved), field)
      for (const [option, message] of optionProblems(schema, model, field)) put(option, message, field)
    }
  }
  return problems
}

function* optionProblems(schema: DraftSchema, model: DraftModel, field: DraftField): Generator<[string, string]> {
  const { properties } = field
  const { minLength, maxLength, min, max, regex } = properties
  if (minLength !== undefined && maxLength !== undefined && maxLength < minLength) yield ['maxLength', t('model.problem.order')]
  if (min !== undefined && max !== undefined && Number(max) < Number(min)) yield ['max', t('model.problem.order')]
  if (regex && !isPattern(regex)) yield ['regex', t('model.problem.regex')]
  if (properties.enum) {
    if (properties.enum.length === 0) yield ['enum', t('model.problem.enumEmpty')]
    else if (properties.enum.some((value) => /^\d/.test(value))) yield ['enum', t('model.problem.enumDigit')]
    else if (new Set(properties.enum).size < properties.enum.length) yield ['enum', t('model.problem.enumTwice')]
  }
  if (properties.components?.length === 0) yield ['components', t('model.problem.zone')]
  if (properties.component === '') yield ['component', t('model.problem.component')]
  const kind = kindOf(properties)
  if (kind && !properties.target) yield ['target', t('model.problem.target')]
  const inverse = properties.targetAttribute
  const target = modelOf(schema, properties.target)
  if (kind && inverse && target) {
    const other = fieldNamed(target, inverse)
    const name = other?.name ?? inverse
    if (!FIELD_NAME.test(name)) yield ['inverse', t('model.problem.fieldName')]
    else if (other?.alias !== undefined || (other && (other.properties.target !== model.uid || other.properties.targetAttribute !== knownName(field) || other.id === field.id))) {
      yield ['inverse', t('model.problem.inverseTaken', { name, type: target.info.displayName })]
    }
  }
  if (kind && needsInverse(kind) && !inverse) yield ['inverse', t('model.problem.inverse')]
  const condition = conditionOf(properties)
  if (condition && !fieldNamed(model, condition.field)) yield ['conditions', t('model.problem.condition')]
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text))
  } catch {
    return false
  }
}

export const listed = (words: string[]): string => new Intl.ListFormat(i18next.language, { type: 'conjunction' }).format(words)
