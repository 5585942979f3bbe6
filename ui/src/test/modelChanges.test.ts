import { produce } from 'immer'
import { beforeEach, expect, test } from 'vitest'
import { bodyOf, changesOf } from '../model/changes'
import { draftOf, type DraftModel, type DraftSchema } from '../model/draft'
import { addField, addModel, conditionFor, removeField, removeModel, renameField, setLink, setUid, takeFile } from '../model/edits'
import { useBuilder } from '../model/store'
import { field, found, SERVER } from './modelFixtures'

const before = draftOf(SERVER)

/** What a recipe makes of the schema: the kinds and names of its changes, and what the server is asked. */
function edited(recipe: (draft: DraftSchema, book: DraftModel, author: DraftModel) => void) {
  const after = produce(before, (draft) => recipe(draft, found(draft, 'api::book.book'), found(draft, 'api::author.author')))
  const { contentTypes, components } = bodyOf(before, after).data
  return {
    after,
    told: changesOf(before, after).map(({ kind, model, name }) => [kind, model, name].filter(Boolean).join(' ')),
    contentTypes,
    components,
    attributes: (uid: string) => contentTypes.find((one) => one.uid === uid)?.attributes,
  }
}

test('nothing is asked of the server without a change', () => {
  const { told, contentTypes, components } = edited(() => undefined)
  expect([told, contentTypes, components]).toEqual([[], [], []])
})

test('a field that is added is asked for without options that are empty', () => {
  const { told, attributes } = edited((_, book) => void addField(book, 'isbn', { type: 'string', regex: '', default: undefined, unique: true }))
  expect(told).toEqual(['addField book isbn'])
  expect(attributes('api::book.book')).toEqual([{ action: 'create', name: 'isbn', properties: { type: 'string', unique: true } }])
})

test('a field that is renamed keeps its values, and what names it follows', () => {
  const { told, attributes, after } = edited((draft, book) => {
    field(book, 'pages').properties.conditions = conditionFor({ field: 'title', is: true, value: 'x' })
    renameField(draft, book, field(book, 'title'), 'heading')
  })
  expect(told).toEqual(['renameField book heading', 'changeField book pages'])
  expect(attributes('api::book.book')).toEqual([
    { action: 'update', name: 'heading', formerName: 'title', properties: { type: 'string', required: true } },
    { action: 'update', name: 'pages', properties: { type: 'integer', conditions: { visible: { '==': [{ var: 'heading' }, 'x'] } } } },
  ])
  expect(field(found(after, 'api::book.book'), 'slug').properties.targetField).toBe('heading')
})

test('a field of another type is an update, not a removal', () => {
  const { told, attributes } = edited((_, book) => void (field(book, 'pages').properties = { type: 'decimal', max: 10 }))
  expect(told).toEqual(['changeField book pages'])
  expect(attributes('api::book.book')).toEqual([{ action: 'update', name: 'pages', properties: { type: 'decimal', max: 10 } }])
})

test('a field that is removed and one of the same name that is added are two', () => {
  const { told, attributes } = edited((draft, book) => {
    removeField(draft, book, field(book, 'pages'))
    addField(book, 'pages', { type: 'text' })
  })
  expect(told).toEqual(['addField book pages', 'removeField book pages'])
  expect(attributes('api::book.book')).toEqual([
    { action: 'delete', name: 'pages' },
    { action: 'create', name: 'pages', properties: { type: 'text' } },
  ])
})

test('another order sends all fields in it', () => {
  const { told, attributes } = edited((_, book) => void book.fields.unshift(...book.fields.splice(2, 1)))
  expect(told).toEqual(['orderFields book'])
  expect((attributes('api::book.book') as { name: string }[]).map((one) => one.name)).toEqual(['pages', 'title', 'slug', 'author', 'sections'])
})

test('a relation with an inverse side adds a field to both types, and loses both', () => {
  const link = { relation: 'manyToMany', target: 'api::author.author', inverse: 'edited' } as const
  const added = edited((draft, book) => setLink(draft, book, addField(book, 'editors', { type: 'relation' }), link))
  expect(added.told).toEqual(['addField book editors', 'addField author edited'])
  expect(added.attributes('api::author.author')).toEqual([
    {
      action: 'create',
      name: 'edited',
      properties: { type: 'relation', relation: 'manyToMany', target: 'api::book.book', targetAttribute: 'editors', mappedBy: 'editors' },
    },
  ])
  const removed = edited((draft, book) => removeField(draft, book, field(book, 'author')))
  expect(removed.told).toEqual(['removeField book author', 'removeField author books'])
})

test('the sides of a relation follow each other: names, kind, and the type that it leads to', () => {
  const renamed = edited((draft, book) => renameField(draft, book, field(book, 'author'), 'writer'))
  expect(renamed.told).toEqual(['renameField book writer'])
  expect(field(found(renamed.after, 'api::author.author'), 'books').properties).toMatchObject({ mappedBy: 'writer', targetAttribute: 'writer' })
  const many = edited((draft, book) =>
    setLink(draft, book, field(book, 'author'), { relation: 'manyToMany', target: 'api::author.author', inverse: 'works' }),
  )
  expect(many.told).toEqual(['changeField book author', 'renameField author works', 'changeField author works'])
  const oneWay = edited((draft, book) =>
    setLink(draft, book, field(book, 'author'), { relation: 'oneToOne', target: 'api::author.author', inverse: null }),
  )
  expect(oneWay.told).toEqual(['changeField book author', 'removeField author books'])
  expect(oneWay.attributes('api::book.book')).toEqual([
    { action: 'update', name: 'author', properties: { type: 'relation', relation: 'oneToOne', target: 'api::author.author', targetAttribute: null } },
  ])
})

test('a component that is added, held, renamed and removed', () => {
  const part: Omit<DraftModel, 'id'> = {
    uid: 'shared.part',
    isComponent: true,
    kind: 'collectionType',
    category: 'shared',
    info: { displayName: 'Part', singularName: 'part', pluralName: '' },
    options: {},
    pluginOptions: {},
    fields: [],
  }
  const added = edited((draft, book) => {
    addField(addModel(draft, part), 'label', { type: 'string' })
    addField(book, 'parts', { type: 'component', component: 'shared.part', repeatable: true })
  })
  expect(added.told).toEqual(['addField book parts', 'addModel Part'])
  expect(added.components).toEqual([
    {
      action: 'create',
      uid: 'shared.part',
      category: 'shared',
      displayName: 'Part',
      description: '',
      icon: '',
      pluginOptions: {},
      attributes: [{ action: 'create', name: 'label', properties: { type: 'string' } }],
    },
  ])
  const renamed = edited((draft) => setUid(draft, found(draft, 'shared.quote'), 'shared.saying'))
  expect(renamed.told).toEqual(['renameModel quote shared.saying'])
  expect(renamed.components).toMatchObject([{ action: 'update', uid: 'shared.saying', formerUid: 'shared.quote' }])
  expect(renamed.contentTypes).toEqual([])
  const removed = edited((draft) => removeModel(draft, found(draft, 'shared.quote')))
  expect(removed.told).toEqual(['removeField book sections', 'removeModel quote'])
  expect(removed.components).toEqual([{ action: 'delete', uid: 'shared.quote' }])
})

test('a type that is removed takes the relations to it along', () => {
  const { told } = edited((draft, _, author) => removeModel(draft, author))
  expect(told).toEqual(['removeField book author', 'removeModel author'])
})

test('what leads to a field follows while its name is typed, past that of another field', () => {
  const { after } = edited((schema, book, author) => {
    addField(book, 'name', { type: 'string' })
    addField(book, 'code', { type: 'uid', targetField: 'name' })
    addField(author, 'book', { type: 'string' })
    const [title, writer] = [field(book, 'title'), field(book, 'author')]
    const books = field(author, 'books')
    for (const name of ['nam', 'name', 'names']) renameField(schema, book, title, name)
    for (const name of ['book', 'bookList']) renameField(schema, author, books, name)
    expect([title.alias, books.alias]).toEqual([undefined, undefined])
    expect(writer.properties).toMatchObject({ inversedBy: 'bookList', targetAttribute: 'bookList' })
  })
  const book = found(after, 'api::book.book')
  expect([field(book, 'slug').properties.targetField, field(book, 'code').properties.targetField]).toEqual(['names', 'name'])
})

test('the other side of a relation stays the same field while its name is typed, past that of another field', () => {
  const { told } = edited((schema, book, author) => {
    const writer = field(book, 'author')
    for (const inverse of ['nam', 'name', 'named']) setLink(schema, book, writer, { relation: 'manyToOne', target: author.uid, inverse })
    expect(field(author, 'named').alias).toBeUndefined()
  })
  expect(told).toEqual(['renameField author named'])
})

test('a schema file tells what changes, and what is wrong with it', () => {
  const file = { info: { displayName: 'Novel' }, options: { draftAndPublish: false }, attributes: { title: { type: 'string' }, year: { type: 'integer' } } }
  const { told, contentTypes } = edited((draft, book) => takeFile(draft, book, file))
  expect(told).toEqual([
    'changeModel Novel', 'changeField Novel title', 'addField Novel year', 'removeField Novel slug', 'removeField Novel pages',
    'removeField Novel author', 'removeField Novel sections', 'removeField author books',
  ])
  expect(contentTypes[0]).toMatchObject({ displayName: 'Novel', draftAndPublish: false })
  expect(() => edited((draft, book) => takeFile(draft, book, { info: { displayName: 'x' }, attributes: { a: {} } }))).toThrow('attributes.a.type')
})

beforeEach(() => useBuilder.setState({ saved: null, draft: {}, past: [], future: [], applied: null }))

test('undo and redo go through the changes one by one, and what is typed quickly is one of them', () => {
  const { load, change } = useBuilder.getState()
  load(SERVER)
  const { id } = field(found(useBuilder.getState().draft, 'api::book.book'), 'pages')
  for (const name of ['p', 'pp', 'ppp']) {
    change((draft) => {
      const book = found(draft, 'api::book.book')
      const typed = book.fields.find((one) => one.id === id)
      if (typed) renameField(draft, book, typed, name)
    }, 'typed')
  }
  change((draft) => removeField(draft, found(draft, 'api::book.book'), field(found(draft, 'api::book.book'), 'author')))
  const told = () => {
    const { saved, draft } = useBuilder.getState()
    return changesOf(saved ?? {}, draft).map((one) => one.kind)
  }
  expect(told()).toEqual(['renameField', 'removeField', 'removeField'])
  useBuilder.getState().undo()
  expect(told()).toEqual(['renameField'])
  useBuilder.getState().undo()
  expect(told()).toEqual([])
  useBuilder.getState().redo()
  useBuilder.getState().redo()
  expect(told()).toEqual(['renameField', 'removeField', 'removeField'])
  useBuilder.getState().discard()
  expect(told()).toEqual([])
})

test('what somebody else has changed meanwhile is no pending change', () => {
  const { load, change } = useBuilder.getState()
  load(SERVER)
  change((draft) => void addField(found(draft, 'api::author.author'), 'born', { type: 'date' }))
  load(SERVER, true)
  const { saved, draft } = useBuilder.getState()
  expect(changesOf(saved ?? {}, draft).map((one) => one.kind)).toEqual(['addField'])
})
