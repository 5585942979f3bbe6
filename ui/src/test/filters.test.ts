import { expect, test } from 'vitest'
import { encodeQuery } from '../api/query'
import { countRules, encodeFilters, isFilterTree, type FilterGroup } from '../content/list/filters'

const nested: FilterGroup = {
  all: true,
  items: [
    { field: ['title'], op: '$containsi', value: 'a&b' },
    {
      all: false,
      items: [
        { field: ['author', 'name'], op: '$eq', value: 'Ada' },
        { field: ['cover'], op: '$null' },
        { field: ['rating'], op: '$between', value: ['1', '5'] },
      ],
    },
  ],
}

test('a nested filter becomes the filters of a query string', () => {
  expect(decodeURIComponent(encodeQuery({ filters: encodeFilters(nested) }))).toBe(
    'filters[$and][0][title][$containsi]=a&b' +
      '&filters[$and][1][$or][0][author][name][$eq]=Ada' +
      '&filters[$and][1][$or][1][cover][$null]=true' +
      '&filters[$and][1][$or][2][rating][$between][0]=1' +
      '&filters[$and][1][$or][2][rating][$between][1]=5',
  )
})

test('special characters of values and names are escaped, brackets around names are not', () => {
  expect(encodeQuery({ filters: encodeFilters(nested) })).toContain('[title][%24containsi]=a%26b')
})

test('rules without a value and empty groups are left out', () => {
  const incomplete: FilterGroup = { all: true, items: [{ field: ['title'], op: '$eq', value: '' }, { all: false, items: [] }] }
  expect(encodeFilters(incomplete)).toBeUndefined()
  expect(countRules(incomplete)).toBe(0)
  expect(countRules(nested)).toBe(4)
})

test.each([null, 'x', {}, { all: true }, { all: true, items: [{ field: 'title', op: '$eq' }] }, { all: true, items: [{ field: ['a'], op: 'eq' }] }])(
  'the address %j is no filter',
  (value) => expect(isFilterTree(value)).toBe(false),
)

test('a filter survives the address', () => {
  expect(isFilterTree(JSON.parse(JSON.stringify(nested)))).toBe(true)
})
