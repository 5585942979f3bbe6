import { beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '../api/client'
import { wordingOfError, wordingOf, wordingOfText } from '../components/serverMessages'
import { fieldNameOf } from '../content/fieldNames'
import { i18next } from '../i18n'
import german from '../i18n/de/problems.json'
import english from '../i18n/en/problems.json'

beforeEach(() =>
  i18next.init({ lng: 'en', keySeparator: false, nsSeparator: false, interpolation: { escapeValue: false }, resources: { en: { translation: english }, de: { translation: german } } }),
)

describe('wordingOf', () => {
  it.each([
    [['isbn'], 'isbn has a wrong check digit', 'has a wrong check digit'],
    [['links', '0', 'text'], 'links[0].text must rhyme', 'must rhyme'],
    [['isbn'], 'isbns are listed elsewhere', 'isbns are listed elsewhere'],
  ])('leaves out the position %j, which the label of the field names', (path, message, wording) => {
    expect(wordingOf({ path, message })).toBe(wording)
  })
})

describe('the wording of the server', () => {
  it.each([
    ['title must be defined.', 'Dieses Feld ist erforderlich.'],
    ['title must be at least 3 characters', 'Mindestens 3 Zeichen.'],
    ['title must be at most 1 characters', 'Höchstens ein Zeichen.'],
    ['title must match the following: "/^[a-z]+$/"', 'Das passt nicht zum Muster /^[a-z]+$/.'],
    ['title must be greater than or equal to 12345.5', 'Mindestens 12.345,5.'],
    ['title must be less than or equal to 10', 'Höchstens 10.'],
    ['title field must have at least 2 items', 'Mindestens 2 Elemente.'],
    ['title field must have less than or equal to 1 items', 'Höchstens ein Element.'],
    ['title must be an integer', 'Das muss eine ganze Zahl sein.'],
    ['title must be a valid email', 'Das ist keine E-Mail-Adresse.'],
    ['This attribute must be unique', 'Ein anderer Eintrag hat diesen Wert.'],
    // The project's own code says what it wants to.
    ['title must be at least as long as 3 characters', 'must be at least as long as 3 characters'],
  ])('%j is that of the language of the UI', async (message, wording) => {
    await i18next.changeLanguage('de')
    expect(wordingOf({ path: ['title'], message })).toBe(wording)
  })
})

describe('a message without a field', () => {
  it.each([
    ['Only entries in the stage "Approved" can be published; this one is in "Draft"', 'Einträge werden nur in der Stufe „Approved“ veröffentlicht. Dieser ist in „Draft“.'],
    ['links[0].text must be at least 3 characters', 'links[0].text: Mindestens 3 Zeichen.'],
    ['title must be defined.; The entry does not exist any more', 'title: Dieses Feld ist erforderlich.; Den Eintrag gibt es nicht mehr.'],
    ['Low tide only; ask again at six', 'Low tide only; ask again at six'],
  ])('%j is that of the language of the UI', async (message, wording) => {
    await i18next.changeLanguage('de')
    expect(wordingOfText(message)).toBe(wording)
  })
})

describe('wordingOfError', () => {
  it('says each problem after the position of its field', async () => {
    await i18next.changeLanguage('de')
    const errors = [
      { path: ['title'], message: 'title must be defined.', name: 'ValidationError' },
      { path: ['isbn'], message: 'isbn must rhyme', name: 'ValidationError' },
    ]
    expect(wordingOfError(new ApiError(400, 'ValidationError', '2 errors occurred', { errors }))).toBe('title: Dieses Feld ist erforderlich. · isbn: must rhyme')
    expect(wordingOfError(new ApiError(400, 'ApplicationError', 'Name already taken'))).toBe('Dieser Name ist vergeben.')
  })

  it('says where code is wrong once', () => {
    const message = 'src/api/a/a.py: line 6 before_write("api::a.a"): unknown field "mode" in needs'
    expect(wordingOfError(new ApiError(400, 'ValidationError', '1 error', { errors: [{ path: ['src/api/a/a.py', 'line 6'], message }] }))).toBe(message)
  })

  it('calls fields by their labels where these are known', async () => {
    await i18next.changeLanguage('de')
    const attributes = { links: { type: 'component', component: 'shared.link' }, zone: { type: 'dynamiczone', components: ['shared.link', 'blocks.quote'] } }
    const components = new Map(
      [{ uid: 'shared.link', attributes: { href: { type: 'string' } } }, { uid: 'blocks.quote', attributes: { saidBy: { type: 'string' } } }].map((one) => [one.uid, one]),
    )
    const view = (metadatas: object) => ({ metadatas })
    const configuration = { contentType: view({ links: { edit: { label: 'Verweise' } } }), components: { 'shared.link': view({ href: { edit: { label: 'Adresse' } } }) } }
    const nameOf = fieldNameOf({ attributes } as never, configuration as never, { components } as never)
    const errors = [
      { path: ['links', '1', 'href'], message: 'links[1].href must be defined.' },
      { path: ['zone', '0', 'saidBy'], message: 'zone[0].saidBy must be defined.' },
      { path: ['gone'], message: 'gone must be defined.' },
    ]
    expect(wordingOfError(new ApiError(400, 'ValidationError', '3 errors occurred', { errors }), nameOf)).toBe(
      'Verweise › 2 › Adresse: Dieses Feld ist erforderlich. · Zone › 1 › Said by: Dieses Feld ist erforderlich. · gone: Dieses Feld ist erforderlich.',
    )
    expect(wordingOfText('links[1].href must be defined.', nameOf)).toBe('Verweise › 2 › Adresse: Dieses Feld ist erforderlich.')
  })
})
