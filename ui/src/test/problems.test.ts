import { describe, expect, it } from 'vitest'
import { wordingOf } from '../content/problems'

describe('wordingOf', () => {
  it.each([
    [['isbn'], 'isbn has a wrong check digit', 'has a wrong check digit'],
    [['links', '0', 'text'], 'links[0].text must be at least 3 characters', 'must be at least 3 characters'],
    [['isbn'], 'isbns are listed elsewhere', 'isbns are listed elsewhere'],
    [['title'], 'This attribute must be unique', 'This attribute must be unique'],
  ])('leaves out the position %j, which the label of the field names', (path, message, wording) => {
    expect(wordingOf({ path, message })).toBe(wording)
  })
})
