import { expect, test } from 'vitest'

type Texts = Record<string, string>

const files = import.meta.glob<Texts>('../i18n/*/*.json', { eager: true, import: 'default' })
const sources = import.meta.glob<string>(['../**/*.ts', '../**/*.tsx', '!../test/**', '!../api/generated.ts'], {
  eager: true,
  query: '?raw',
  import: 'default',
})

const textsOf = (language: string): Texts =>
  Object.assign({}, ...Object.entries(files).filter(([path]) => path.includes(`/${language}/`)).map(([, texts]) => texts))
const english = textsOf('en')
const source = Object.values(sources).join('\n')
const PLURAL = /_(zero|one|other)$/
const placeholders = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g))].sort()

test.each(['de', 'fr'])('%s has the keys of English, in the same files', (language) => {
  const names = (of: string) =>
    Object.entries(files)
      .filter(([path]) => path.includes(`/${of}/`))
      .flatMap(([path, texts]) => Object.keys(texts).map((key) => `${path.split('/').pop()} ${key}`))
      .sort()
  expect(names(language)).toEqual(names('en'))
})

test.each(['de', 'fr'])('texts in %s have the placeholders of the English ones', (language) => {
  // A singular may spell its number out, and does so in some languages only.
  const of = (key: string, text: string) => placeholders(text).filter((one) => !(key.endsWith('_one') && one === '{{count}}'))
  const different = Object.entries(textsOf(language)).filter(
    ([key, text]) => String(of(key, text)) !== String(of(key, english[key] ?? '')),
  )
  expect(different).toEqual([])
})

test('keys are sorted, and texts not empty', () => {
  for (const [path, texts] of Object.entries(files)) {
    expect([path, ...Object.keys(texts)]).toEqual([path, ...Object.keys(texts).sort()])
    expect(Object.values(texts)).not.toContain('')
  }
})

test('every key is used', () => {
  const literal = new Set([...source.matchAll(/['"]([\w$.-]+)['"]/g)].map((found) => found[1]))
  const dynamic = [...source.matchAll(/`([\w$.-]+\.)\$\{[^`]*`/g)].map((found) => found[1] ?? '')
  const unused = Object.keys(english).filter((key) => {
    const name = key.replace(PLURAL, '')
    return !literal.has(name) && !dynamic.some((start) => name.startsWith(start))
  })
  expect(unused).toEqual([])
})

test('every key that is used exists', () => {
  const known = new Set(Object.keys(english).map((key) => key.replace(PLURAL, '')))
  const used = [...source.matchAll(/\bt\(\s*['"]([^'"]+)['"]/g)].map((found) => found[1] ?? '')
  expect(used.filter((key) => !known.has(key))).toEqual([])
  const begun = [...source.matchAll(/\bt\(\s*`([^`$]+)\$\{/g)].map((found) => found[1] ?? '')
  expect(begun.filter((start) => ![...known].some((key) => key.startsWith(start)))).toEqual([])
})
