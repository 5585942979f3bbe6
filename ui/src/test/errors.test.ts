import { beforeAll, expect, test } from 'vitest'
import { ApiError } from '../api/client'
import { explain } from '../components/errors'
import { i18next } from '../i18n'
import common from '../i18n/en/common.json'

beforeAll(() => i18next.init({ lng: 'en', keySeparator: false, nsSeparator: false, resources: { en: { translation: common } } }))

const failed = (status: number, message: string, id: string | null = null, after: number | null = null) =>
  explain(new ApiError(status, 'Error', message, null, id, after))

test.each([
  [0, 'The server cannot be reached', 'retry'],
  [401, 'You are signed out', 'signIn'],
  [403, 'You have no permission for this', null],
  [404, 'Nothing was found here', null],
  [503, 'The server is not available', 'retry'],
  [500, 'The server could not do this', 'retry'],
] as const)('an error with status %d says what failed, and what to do', (status, title, remedy) => {
  expect(failed(status, 'Some message')).toMatchObject({ title, remedy })
})

test('the hint of a failure of the server asks for the request ID only where there is one', () => {
  expect(failed(500, 'Internal Server Error', '3f9d').hint).toContain('request ID')
  expect(failed(500, 'Internal Server Error').hint).not.toContain('request ID')
  expect(failed(500, 'Internal Server Error').facts).toEqual(['Status 500', 'Internal Server Error'])
})

test('what the server says about a request that it refuses is the hint', () => {
  expect(failed(400, 'title must be unique').hint).toBe('title must be unique')
})

test('too many requests name the time to wait', () => {
  expect(failed(429, 'Too Many Requests', null, 20).hint).toBe('Try again in 20 seconds.')
})

test('a mistake of the page is shown with its message, and the page reloaded', () => {
  const { facts, remedy } = explain(new TypeError('x is undefined'))
  expect([facts, remedy]).toEqual([['x is undefined'], 'reload'])
})
