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

/** Who uses the texts of an area that come with its screens: those screens alone. */
const USERS = {
  model: /^\.\.\/(model|fields\/\w+\/builder\.ts)/,
  settings: /^\.\.\/(settings|explorer|activity|components\/PermissionMatrix)/,
}

test.each(['model', 'settings'] as const)('texts of %s are used where they are loaded', (area) => {
  const keys = new Set(Object.keys(files[`../i18n/en/${area}.json`] ?? {}).map((key) => key.replace(PLURAL, '')))
  const others = Object.entries(sources).filter(([path]) => !USERS[area].test(path))
  // Commands of the palette and the titles of settings are read by the shell.
  others.push(...Object.entries(sources).filter(([path]) => /model\/commands|settings\/sections/.test(path)))
  const used = others.flatMap(([path, text]) => [
    ...[...text.matchAll(/['"]([\w$.-]+)['"]/g)].filter((found) => keys.has(found[1] ?? '')).map((found) => `${path} ${found[1]}`),
  ])
  expect(used).toEqual([])
})
