import { produce } from 'immer'
import { expect, test } from 'vitest'
import { bodyOf, changesOf } from '../model/changes'
import { copiedFields, fittedProperties, freeName, moveIntoComponent, oneWayCopies } from '../model/copies'
import { draftOf } from '../model/draft'
import { addField, addModel, conditionFor } from '../model/edits'
import { layoutWith } from '../model/layout/copyLayout'
import { layoutOf } from '../model/layout/view'
import { field, found, SERVER } from './modelFixtures'

const schema = draftOf(SERVER)
const book = found(schema, 'api::book.book')
const author = found(schema, 'api::author.author')

test('a copied type has all fields, and relations that nothing leads back from', () => {
  expect(oneWayCopies(book)).toEqual(['author'])
  const copied = copiedFields(book, 'api::novel.novel')
  expect(copied.map((one) => one.name)).toEqual(book.fields.map((one) => one.name))
  expect(copied.map((one) => one.id)).not.toEqual(book.fields.map((one) => one.id))
  expect(copied[3]?.properties).toEqual({ type: 'relation', relation: 'manyToOne', target: 'api::author.author', targetAttribute: null })
})

test('a relation of a type to itself is copied with both sides', () => {
  const parent = { type: 'relation', relation: 'manyToOne', target: 'api::book.book', inversedBy: 'parts', targetAttribute: 'parts' } as const
  const withParts = produce(book, (draft) => void addField(draft, 'whole', { ...parent }))
  expect(oneWayCopies(withParts)).toEqual(['author'])
  expect(copiedFields(withParts, 'api::novel.novel').at(-1)?.properties).toEqual({ ...parent, target: 'api::novel.novel' })
})

test('a field in another type is without what the type does not have', () => {
  const i18n = { i18n: { localized: true } }
  const given = { type: 'uid', targetField: 'title', conditions: conditionFor({ field: 'title', is: true, value: 'x' }), pluginOptions: { ...i18n, other: 1 } }
  expect(fittedProperties(given, author)).toEqual({ type: 'uid', pluginOptions: { other: 1 } })
  expect(fittedProperties(given, { ...book, pluginOptions: i18n })).toEqual(given)
  expect(freeName(book, 'title')).toBe('title2')
})

test('fields move into a component in the place of the first, but not those that components cannot have', () => {
  const after = produce(schema, (draft) => {
    const part = addModel(draft, { ...found(draft, 'shared.quote'), uid: 'shared.part', fields: [] })
    const owner = found(draft, 'api::book.book')
    moveIntoComponent(draft, owner, ['title', 'pages', 'slug', 'sections'].map((name) => field(owner, name).id), part, 'author')
  })
  expect(found(after, 'api::book.book').fields.map((one) => one.name)).toEqual(['author2', 'slug', 'author', 'sections'])
  expect(field(found(after, 'api::book.book'), 'slug').properties).toEqual({ type: 'uid' })
  expect(found(after, 'shared.part').fields.map((one) => [one.name, one.properties])).toEqual([
    ['title', { type: 'string', required: true }],
    ['pages', { type: 'integer' }],
  ])
  expect(changesOf(schema, after).map((one) => one.kind)).toEqual(['addField', 'changeField', 'removeField', 'removeField', 'orderFields', 'addModel'])
  expect(bodyOf(schema, after).data.components).toHaveLength(1)
})

test('a copied layout has the fields that both types have, and those of the copy alone at the end', () => {
  const view = (names: string[], size: number) =>
    layoutOf({
      uid: '',
      settings: { mainField: names[0] ?? '', defaultSortBy: names[0] ?? '', defaultSortOrder: 'ASC', pageSize: size, bulkable: true, filterable: true, searchable: true },
      metadatas: Object.fromEntries(names.map((name) => [name, { edit: { label: `${name} ${size}` }, list: {} }])),
      layouts: { edit: [names.map((name) => ({ name, size }))], list: names },
    } as never)
  const copied = layoutWith(view(['gone', 'title', 'hidden'], 4), view(['title', 'hidden', 'added'], 6))
  expect(copied.form).toEqual([{ name: 'title', size: 4 }, { name: 'hidden', size: 4 }, { name: 'added', size: 6 }])
  expect(copied.settings).toMatchObject({ mainField: 'title', pageSize: 4 })
  expect(copied.columns).toEqual(['title', 'hidden'])
  expect(copied.metadatas.title?.edit.label).toBe('title 4')
})
