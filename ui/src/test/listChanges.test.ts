import { expect, test } from 'vitest'
import { listChanges } from '../fields/shared/listChanges'

const told = (before: string, after: string, pairs = false) =>
  listChanges([...before], [...after], {
    keyOf: (one) => one,
    isPair: pairs ? (one, other) => one.toLowerCase() === other.toLowerCase() : undefined,
  }).map((change) => `${change.kind} ${'after' in change ? change.after : change.before}`)

test('what is added and removed stands where it is and was', () => {
  expect(told('ac', 'abc')).toEqual(['same a', 'added b', 'same c'])
  expect(told('abc', 'ac')).toEqual(['same a', 'removed b', 'same c'])
  expect(told('', 'a')).toEqual(['added a'])
  expect(told('ab', 'ab')).toEqual(['same a', 'same b'])
})

test('an item that is elsewhere has moved, and is told once', () => {
  expect(told('abc', 'cab')).toEqual(['moved c', 'same a', 'same b'])
  expect(told('abcd', 'bcda')).toEqual(['same b', 'same c', 'same d', 'moved a'])
})

test('equal items are told one by one', () => {
  expect(told('aa', 'aaa')).toEqual(['same a', 'same a', 'added a'])
})

test('an item in the place of another one that it may be has changed', () => {
  expect(told('abc', 'aBc', true)).toEqual(['same a', 'changed B', 'same c'])
  expect(told('abc', 'aXc', true)).toEqual(['same a', 'removed b', 'added X', 'same c'])
  expect(told('ab', 'AB', true)).toEqual(['changed A', 'changed B'])
})
