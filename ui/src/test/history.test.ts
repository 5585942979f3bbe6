import { expect, test } from 'vitest'
import type { Model } from '../api/hooks'
import type { Attribute } from '../api/types'
import { createEditorStore, dirtyNames, type Replay, type Values } from '../content/editor/store'
import { partsByKey, replay, withFormState } from '../content/editor/values'
import { sentRelation } from '../fields/relation/value'

const attributes: Record<string, Attribute> = {
  title: { type: 'string' },
  tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
  parts: { type: 'component', component: 'lab.part', repeatable: true },
}
const part = {
  uid: 'lab.part',
  category: 'lab',
  info: { displayName: 'part' },
  attributes: { text: { type: 'string' }, link: { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag' } },
}
const model = { components: new Map([['lab.part', part]]), types: new Map(), displayed: [] } as unknown as Model
const tag = (id: number) => ({ id, documentId: `tag-${id}` })

/** Save what a form has, as the server answers that gives the parts these ids. */
function save(store: ReturnType<typeof createEditorStore>, answer: Values) {
  const sent = store.getState().values
  const kept = Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, withFormState(value, sent[name])]))
  const parts = partsByKey(kept)
  const replayOne: Replay = (name, value) => replay(value, attributes[name]!, model, kept[name], parts)
  store.getState().accept(sent, kept, { replay: replayOne })
}

test('what was typed before a save is undone after it, and redone', () => {
  const store = createEditorStore({ title: 'a' })
  store.getState().set(['title'], 'b')
  save(store, { title: 'b' })
  store.getState().undo()
  expect(store.getState().values.title).toBe('a')
  store.getState().redo()
  expect(store.getState().values.title).toBe('b')
})

test('undo leaves alone what the server has changed by itself in other attributes', () => {
  const store = createEditorStore({ title: 'a', slug: 'a' })
  store.getState().set(['title'], 'b')
  const sent = store.getState().values
  store.getState().accept(sent, { title: 'b', slug: 'b' }, { replay: (_, value) => ({ value }) })
  store.getState().undo()
  expect(store.getState().values).toEqual({ title: 'a', slug: 'b' })
})

test('a part that was added keeps the id that the server gave it, one that was removed comes back without its id', () => {
  const store = createEditorStore({ parts: [{ __key: 'one', id: 1, text: 'x', link: { count: 0 } }] })
  store.getState().change(['parts'], (all: Values[]) => [...all, { __key: 'two', text: 'y', link: { count: 0 } }])
  save(store, { parts: [{ __key: 'n', id: 1, text: 'x', link: { count: 0 } }, { __key: 'm', id: 2, text: 'y', link: { count: 0 } }] })
  store.getState().change(['parts'], (all: Values[]) => all.slice(1))
  save(store, { parts: [{ __key: 'k', id: 2, text: 'y', link: { count: 0 } }] })
  store.getState().undo()
  expect(store.getState().values.parts).toMatchObject([{ __key: 'one', text: 'x' }, { __key: 'two', id: 2, text: 'y' }])
  expect((store.getState().values.parts as Values[])[0]).not.toHaveProperty('id')
})

test('a part whose relations are not known here is not brought back without them', () => {
  const store = createEditorStore({ title: 'a', parts: [{ __key: 'one', id: 1, text: 'x', link: { count: 1 } }] })
  store.getState().set(['title'], 'b')
  store.getState().change(['parts'], () => [])
  store.getState().set(['title'], 'c')
  save(store, { title: 'c', parts: [] })
  expect(store.getState().past).toHaveLength(1)
})

test('a relation is undone after a save by sending all of its entries', () => {
  const items = [tag(1), tag(2)]
  const store = createEditorStore({ tags: { count: 2 } })
  store.getState().detail(['tags'], { count: 2, items, original: items })
  expect(store.getState().past).toHaveLength(0)
  store.getState().set(['tags'], { count: 1, items: [tag(1)], original: items })
  save(store, { tags: { count: 1 } })
  expect(store.getState().values.tags).toEqual({ count: 1, items: [tag(1)], original: [tag(1)] })
  store.getState().undo()
  expect(sentRelation(store.getState().values.tags as never, attributes.tags!)).toEqual({
    set: [{ documentId: 'tag-1' }, { documentId: 'tag-2' }],
  })
})

test('what is typed while a save is under way is kept, with the ids that the server gave', () => {
  const store = createEditorStore({ parts: [] as Values[] })
  store.getState().change(['parts'], () => [{ __key: 'one', text: 'x', link: { count: 0 } }])
  const sent = store.getState().values
  store.getState().set(['parts', 0, 'text'], 'xyz')
  const kept = { parts: withFormState([{ __key: 'n', id: 9, text: 'x', link: { count: 0 } }], sent.parts) }
  const parts = partsByKey(kept)
  store.getState().accept(sent, kept, { replay: (name, value) => replay(value, attributes[name]!, model, kept.parts, parts) })
  expect(store.getState().values.parts).toMatchObject([{ __key: 'one', id: 9, text: 'xyz' }])
})

test('values that were sent by an earlier page are no changes where they say the same', () => {
  const sent = { title: 'a', parts: [{ __key: 'one', text: 'x', link: { count: 0 } }] }
  const store = createEditorStore({ title: '', parts: [] as Values[] })
  store.getState().restore(structuredClone({ ...sent, title: 'typed since' }))
  const kept = { title: 'a', parts: withFormState([{ __key: 'n', id: 9, text: 'x', link: { count: 0 } }], sent.parts) }
  store.getState().accept(sent, kept, { replay: (_, value) => ({ value }) })
  expect(dirtyNames(store.getState())).toEqual(['title'])
})
