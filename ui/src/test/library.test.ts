import { expect, it } from 'vitest'
import { fileFilters, isEverywhere, pathsOf, withoutFolders } from '../media/library'

it('shows the files of a folder until something is searched for', () => {
  expect(fileFilters({ folder: 3 })).toEqual([{ folder: { id: { $eq: 3 } } }])
  expect(fileFilters({ folder: 3, kind: 'images' })).toEqual([{ folder: { id: { $eq: 3 } } }, { mime: { $startsWith: 'image' } }])
  expect(isEverywhere({ folder: 3, minSize: 100 })).toBe(true)
  expect(fileFilters({ folder: 3, minSize: 100, maxSize: 2000 })).toEqual([{ size: { $gte: 100 } }, { size: { $lte: 2000 } }])
})

it('takes days as a whole, where the browser is', () => {
  const [since, until] = fileFilters({ from: '2026-03-01', to: '2026-03-31' })
  expect(since).toEqual({ createdAt: { $gte: new Date(2026, 2, 1).toISOString() } })
  expect(until).toEqual({ createdAt: { $lt: new Date(2026, 3, 1).toISOString() } })
})

it('offers a folder that is moved neither itself nor what is in it', () => {
  const tree = [{ id: 1, name: 'Harbour', children: [{ id: 2, name: 'Old', children: [{ id: 3, name: 'Charts' }] }] }, { id: 4, name: 'Sea' }]
  expect(pathsOf(withoutFolders(tree, [2]))).toEqual([{ id: 1, path: 'Harbour' }, { id: 4, path: 'Sea' }])
})
