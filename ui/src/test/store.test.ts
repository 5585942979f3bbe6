import { expect, test } from 'vitest'
import { createEditorStore, dirtyNames } from '../content/editor/store'

const make = () => {
  let clock = 0
  const store = createEditorStore({ title: 'a', parts: [{ text: 'x' }, { text: 'y' }] }, () => clock)
  return { store, later: () => (clock += 5000) }
}

test('typing into one field is undone as one step, and redone', () => {
  const { store, later } = make()
  store.getState().set(['title'], 'ab')
  store.getState().set(['title'], 'abc')
  later()
  store.getState().set(['title'], 'abcd')
  store.getState().undo()
  expect(store.getState().values.title).toBe('abc')
  store.getState().undo()
  expect(store.getState().values.title).toBe('a')
  store.getState().redo()
  store.getState().redo()
  expect(store.getState().values.title).toBe('abcd')
})

test('a change after an undo drops what could be redone', () => {
  const { store } = make()
  store.getState().set(['title'], 'b')
  store.getState().undo()
  store.getState().set(['title'], 'c')
  store.getState().redo()
  expect(store.getState().values.title).toBe('c')
})

test('what is typed and taken back is not unsaved', () => {
  const { store } = make()
  store.getState().set(['parts', 0, 'text'], 'z')
  expect(dirtyNames(store.getState())).toEqual(['parts'])
  store.getState().set(['parts', 0, 'text'], 'x')
  expect(dirtyNames(store.getState())).toEqual([])
})

test('a change of one part leaves the others as they are', () => {
  const { store } = make()
  const before = store.getState().values.parts as object[]
  store.getState().set(['parts', 0, 'text'], 'z')
  const after = store.getState().values.parts as object[]
  expect(after[1]).toBe(before[1])
  expect(after[0]).not.toBe(before[0])
})

test('parts are moved and put back by undo', () => {
  const { store } = make()
  store.getState().change(['parts'], (parts: { text: string }[]) => [...parts].reverse())
  expect(store.getState().values.parts).toEqual([{ text: 'y' }, { text: 'x' }])
  store.getState().undo()
  expect(store.getState().values.parts).toEqual([{ text: 'x' }, { text: 'y' }])
})

test('a problem goes when its field or a part of it changes, others stay', () => {
  const { store } = make()
  store.getState().setErrors({ title: 'too short', 'parts.0.text': 'missing' })
  store.getState().set(['parts', 0, 'text'], 'q')
  expect(store.getState().errors).toEqual({ title: 'too short' })
})

test('loading what the server has leaves nothing to undo', () => {
  const { store } = make()
  store.getState().set(['title'], 'b')
  store.getState().load({ title: 'c' })
  store.getState().undo()
  expect(store.getState().values).toEqual({ title: 'c' })
  expect(dirtyNames(store.getState())).toEqual([])
})

test('a value that follows from another one is no step to undo', () => {
  const { store } = make()
  store.getState().set(['title'], 'b')
  store.getState().derive(['slug'], 'b')
  store.getState().undo()
  expect(store.getState().values).toMatchObject({ title: 'a', slug: 'b' })
  expect(store.getState().past).toHaveLength(0)
})
