import { beforeAll, expect, test } from 'vitest'
import { ApiError } from '../api/client'
import { explain, isUnavailable, messageOf } from '../components/errors'
import { i18next } from '../i18n'
import common from '../i18n/en/common.json'

beforeAll(() => i18next.init({ lng: 'en', keySeparator: false, nsSeparator: false, interpolation: { escapeValue: false }, resources: { en: { translation: common } } }))

const failed = (status: number, message: string, id: string | null = null, after: number | null = null) =>
  explain(new ApiError(status, 'Error', message, null, id, after))

test.each([
  [0, 'The server cannot be reached', 'retry'],
  [401, 'You are signed out', 'signIn'],
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

test.each([
  [403, 'Articles are not changed today', 'This is not possible', 'Articles are not changed today'],
  [403, 'Forbidden', 'You have no permission for this', 'Your role does not allow this. A super admin can change that.'],
  [404, 'There is no order 7', 'Nothing was found here', 'There is no order 7'],
  [404, 'Document not found', 'Nothing was found here', 'It may have been deleted, or the address is mistyped.'],
  [429, 'One comment a minute', 'Too many requests', 'One comment a minute'],
])("status %d with “%s” says what the project's code says", (status, message, title, hint) => {
  expect(failed(status, message)).toMatchObject({ title, hint })
})

test("a failure of the project's code names the function to those who are told", () => {
  const failure = (code: object) => explain(new ApiError(500, 'InternalServerError', 'Internal Server Error', { code }, '3f9d'))
  expect(failure({ function: 'check', place: 'src/api/a/a.py:8' }).hint).toContain('check (src/api/a/a.py:8) raised an exception')
  expect(failure({}).title).toBe("The project's own code has failed")
  expect(failure({}).hint).toContain('request ID')
})

test("project code that takes too long is told from a server that is not available", () => {
  const late = new ApiError(503, 'ServiceUnavailableError', 'Service Unavailable', { code: { function: 'check', place: 'src/api/a/a.py:8' } })
  expect(explain(late)).toMatchObject({ title: "The project's own code takes too long", remedy: 'retry' })
  expect(explain(late).hint).toContain('check (src/api/a/a.py:8)')
  expect(isUnavailable(late)).toBe(false)
})

test("a super admin is told which code denies a request", () => {
  const denied = explain(new ApiError(403, 'ForbiddenError', 'Forbidden', { reason: 'the policy weekend (src/a.py:3) denied' }))
  expect(denied).toMatchObject({ title: "The project's own code does not allow this", hint: 'the policy weekend (src/a.py:3) denied' })
})

test('too many requests name the time to wait', () => {
  expect(failed(429, 'Too Many Requests', null, 20).hint).toBe('Try again in 20 seconds.')
})

test('a mistake of the page is shown with its message, and the page reloaded', () => {
  const { facts, remedy } = explain(new TypeError('x is undefined'))
  expect([facts, remedy]).toEqual([['x is undefined'], 'reload'])
})

test('a request without a response is told from a server that cannot be reached', () => {
  const late = new ApiError(0, 'TimeoutError', 'late')
  expect(explain(late)).toMatchObject({ title: 'The server has not responded', remedy: 'retry' })
})

test('a failure of the server names its request in one line', () => {
  expect(messageOf(new ApiError(500, 'Error', 'Internal Server Error', null, '3f9d'))).toMatch(/^The server could not do this\. .* Request ID: 3f9d$/)
})

test.each([
  [400, 'Name already taken by the tide', 'Name already taken by the tide'],
  [401, 'Invalid token', 'Invalid token'],
  [403, 'Policy Failed', 'You have no permission for this. Your role does not allow this. A super admin can change that.'],
  [503, 'Service Unavailable', 'The server is not available. It may be restarting. Wait a moment, then try again.'],
  [0, 'NetworkError', 'The server cannot be reached. Check your connection, and try again.'],
])('an error with status %d and “%s” in one line', (status, message, line) => {
  expect(messageOf(new ApiError(status, 'Error', message))).toBe(line)
})
