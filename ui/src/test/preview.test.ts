import { describe, expect, it } from 'vitest'
import type { ContentType, Entry } from '../api/types'
import { canFrame, previewUrl } from '../content/preview/previewUrl'

const TYPE = { uid: 'api::a.a', attributes: { title: { type: 'string' }, path: { type: 'uid' } } } as unknown as ContentType
const ENTRY = { documentId: 'abc', path: 'a & b', status: 'draft' } as unknown as Entry
const shown = { type: TYPE, entry: ENTRY, locale: 'fr', status: 'draft' } as const

describe('the preview URL of an entry', () => {
  it('has the values of the entry', () => {
    expect(previewUrl('https://x.org/{locale}/{slug}?id={documentId}&s={status}', shown)).toEqual({ url: 'https://x.org/fr/a%20%26%20b?id=abc&s=draft' })
  })

  it('says what the entry has no value for', () => {
    expect(previewUrl('/{slug}', { ...shown, entry: { ...ENTRY, path: '' } })).toEqual({ missing: 'slug' })
    expect(previewUrl('/{documentId}', { ...shown, entry: { ...ENTRY, path: '' } })).toEqual({ url: '/abc' })
  })
})

describe('the origins that may be framed', () => {
  const page = 'https://cms.example.org/admin'
  const cases: [string, string[], boolean][] = [
    ['/preview', ["'self'"], true],
    ['https://site.example.org/a', ["'self'"], false],
    ['https://site.example.org/a', ["'self'", 'https://site.example.org'], true],
    ['http://site.example.org/a', ['https://site.example.org'], false],
    ['https://site.example.org:3000/a', ['https://site.example.org'], false],
    ['http://localhost:3000/a', ['http://localhost:3000'], true],
    ['http://localhost:3001/a', ['http://localhost:*'], true],
    ['https://a.example.org/', ['*.example.org'], true],
    ['https://example.org/', ['*.example.org'], false],
    ['https://evil-example.org/', ['*.example.org'], false],
    ['https://any.example/', ['https:'], true],
    ['https://any.example/', [], false],
  ]
  it.each(cases)('%s with %j', (url, sources, expected) => expect(canFrame(url, sources, page)).toBe(expected))
})
