import { produce } from 'immer'
import { expect, test } from 'vitest'
import { changesOf } from '../model/changes'
import { draftOf, type DraftModel, type DraftSchema } from '../model/draft'
import { addField, addModel, removeField, removeModel, renameField, setLink } from '../model/edits'
import { mergedWith } from '../model/pendingChanges'
import { field, found, SERVER } from './modelFixtures'

type Recipe = (draft: DraftSchema, book: DraftModel, author: DraftModel) => void

/** Make changes, let somebody else make others, and put the first ones on those after a reload. */
function merged(mine: Recipe, theirs: Recipe = () => undefined) {
  const edit = (schema: DraftSchema, recipe: Recipe) =>
    produce(schema, (draft) => recipe(draft, found(draft, 'api::book.book'), found(draft, 'api::author.author')))
  const from = draftOf(SERVER)
  const kept = JSON.parse(JSON.stringify({ from, to: edit(from, mine) })) as { from: DraftSchema; to: DraftSchema }
  const present = edit(draftOf(SERVER), theirs)
  const { draft, conflicts } = mergedWith(present, kept)
  const name = (schema: DraftSchema, at: { modelId: string; fieldId?: string }) =>
    schema[at.modelId]?.fields.find((one) => one.id === at.fieldId)?.name
  return {
    draft,
    conflicts: conflicts.length,
    told: changesOf(present, draft).map((one) => [one.kind, one.name ?? name(draft, one)].filter(Boolean).join(' ')),
  }
}

const MINE: Recipe = (draft, book, author) => {
  renameField(draft, book, field(book, 'title'), 'heading')
  removeField(draft, book, field(book, 'pages'))
  addField(book, 'isbn', { type: 'string' }, 0)
  addField(author, 'born', { type: 'date' })
  setLink(draft, book, addField(book, 'editors', { type: 'relation' }), { relation: 'manyToMany', target: 'api::author.author', inverse: 'edited' })
  addModel(draft, { ...book, uid: 'api::shelf.shelf', info: { displayName: 'Shelf', singularName: 'shelf', pluralName: 'shelves' }, fields: [] })
}

test('changes that were left are the same on the model that they were made to', () => {
  const { told, conflicts, draft } = merged(MINE)
  expect(conflicts).toBe(0)
  expect(told).toEqual([
    'addField isbn', 'renameField heading', 'addField editors', 'removeField pages', 'orderFields', 'addField born', 'addField edited', 'addModel',
  ])
  expect(found(draft, 'api::book.book').fields.map((one) => one.name)).toEqual(['isbn', 'heading', 'slug', 'author', 'sections', 'editors'])
})

test('changes of somebody else stay beside those that were left', () => {
  const { told, conflicts, draft } = merged(MINE, (_, book, author) => {
    addField(book, 'year', { type: 'integer' })
    field(author, 'name').properties.required = true
    author.info.displayName = 'Writer'
  })
  expect(conflicts).toBe(0)
  expect(told).toContain('renameField heading')
  expect(found(draft, 'api::book.book').fields.map((one) => one.name)).toContain('year')
  expect(found(draft, 'api::author.author').info.displayName).toBe('Writer')
})

test('changes are named that have no place any more, or are made otherwise by now', () => {
  const gone = merged(MINE, (draft, _, author) => removeModel(draft, author))
  expect(gone.conflicts).toBe(2)
  expect(gone.told).not.toContain('addField editors')
  const taken = merged(MINE, (_, book) => void addField(book, 'isbn', { type: 'text' }))
  expect(taken.conflicts).toBe(1)
  const changed = merged(
    (_, book) => void (field(book, 'pages').properties.max = 10),
    (_, book) => void (field(book, 'pages').properties.max = 20),
  )
  expect([changed.conflicts, changed.told]).toEqual([1, []])
  const removed = merged(
    (_, book) => void (field(book, 'pages').properties.max = 10),
    (draft, book) => removeField(draft, book, field(book, 'pages')),
  )
  expect([removed.conflicts, removed.told]).toEqual([1, []])
  const twice = merged((draft, book) => removeField(draft, book, field(book, 'pages')), (draft, book) => removeField(draft, book, field(book, 'pages')))
  expect([twice.conflicts, twice.told]).toEqual([0, []])
})
