import { expect, test } from 'vitest'
import { namesOfConditions } from '../settings/roles/grants'

const known = [
  { id: 'admin::is-creator', displayName: 'Is creator', category: 'default' },
  { id: 'admin::has-same-role-as-creator', displayName: 'Has same role as creator', category: 'default' },
]

test('roles with the same conditions in another order do not differ', () => {
  const ids = known.map((one) => one.id)
  expect(namesOfConditions(ids, known)).toBe('Has same role as creator, Is creator')
  expect(namesOfConditions([...ids].reverse(), known)).toBe(namesOfConditions(ids, known))
})

test('a condition that is no longer there is called by its id', () => {
  expect(namesOfConditions(['admin::is-creator', 'api::gone'], known)).toBe('Is creator, api::gone')
})
