import dayjs from 'dayjs'
import i18next, { type FormatterModule } from 'i18next'
import { initReactI18next } from 'react-i18next'
import account from './en/account.json'
import common from './en/common.json'
import problems from './en/problems.json'

/** English of the sign-in page, in one file for each area of the UI; the other languages have the same files and keys. */
const english = { ...account, ...common, ...problems }

/** Areas whose texts come with their screens, in every language. */
const LATER = ['activity', 'content', 'explorer', 'fields', 'media', 'model', 'releases', 'settings'] as const
export type LaterArea = (typeof LATER)[number]

// The keys are checked by src/test/translations.test.ts: as types, so many are too much for TypeScript.
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    keySeparator: false
    nsSeparator: false
  }
}

export const languages = { en: 'English', de: 'Deutsch', fr: 'Français' } as const
export type Language = keyof typeof languages

const STORED = 'quire.language'
const translations = import.meta.glob<Record<string, string>>(
  ['./de/*.json', './fr/*.json', './en/model.json', './en/releases.json', './en/settings.json'],
  { import: 'default' },
)
/** The files whose texts are there. */
const present = new Set<string>()
const asked = new Set<LaterArea>()
const dateFormats: Partial<Record<Language, () => Promise<unknown>>> = {
  de: () => import('dayjs/locale/de'),
  fr: () => import('dayjs/locale/fr'),
}

export const isLanguage = (value: unknown): value is Language => typeof value === 'string' && value in languages

/** The first language of the browser that there is. */
const browserLanguage = (): Language => navigator.languages.map((one) => one.slice(0, 2)).find(isLanguage) ?? 'en'

const isNeeded = (file: string): boolean => {
  const area = LATER.find((one) => file.endsWith(`/${one}.json`))
  return area === undefined || asked.has(area)
}

/** Load the texts of a language that the screens so far need. */
async function loadLanguage(language: Language): Promise<void> {
  const files = Object.entries(translations).filter(
    ([file]) => file.startsWith(`./${language}/`) && isNeeded(file) && !present.has(file),
  )
  await Promise.all(
    files.map(async ([file, load]) => {
      const texts = { ...(await load()) }
      for (const [key, text] of Object.entries(texts)) {
        // French has a form of its own for millions. Where it is not told apart, it is the common plural.
        if (key.endsWith('_other')) texts[key.replace(/_other$/, '_many')] ??= text
      }
      i18next.addResourceBundle(language, 'translation', texts, true, true)
      present.add(file)
    }),
  )
}

/** Load a screen together with the texts of its areas. */
export const withTexts =
  <Screen>(areas: readonly LaterArea[], load: () => Promise<Screen>) =>
  async (): Promise<Screen> => {
    for (const area of areas) asked.add(area)
    const [screen] = await Promise.all([load(), loadLanguage(i18next.language as Language)])
    return screen
  }

/** Load the texts of a language and its date formats, and show the UI in it from now on. */
async function setLanguage(language: Language): Promise<void> {
  await dateFormats[language]?.()
  await loadLanguage(language)
  dayjs.locale(language)
  document.documentElement.lang = language
  await i18next.changeLanguage(language)
}

/** Show the UI in the language of a profile, or in the browser's if the profile names none. */
export async function applyLanguage(preferred: unknown): Promise<void> {
  const language = isLanguage(preferred) ? preferred : null
  // The sign-in page of this browser begins with it, before anybody's profile is known.
  if (language) localStorage.setItem(STORED, language)
  else localStorage.removeItem(STORED)
  const next = language ?? browserLanguage()
  if (next !== i18next.language) await setLanguage(next)
}

/** Add English texts that come in one file with the screens that show them. */
export const addEnglish = (texts: Record<string, string>): void => void i18next.addResourceBundle('en', 'translation', texts, true, true)

/** A number as the language writes it; four digits stay together, as they may be a year. */
export function formatNumber(value: number | bigint | string): string {
  const format = new Intl.NumberFormat(i18next.language, { maximumFractionDigits: 20, useGrouping: 'min2' })
  return format.format(value as number)
}

/** Numbers within texts are written as numbers elsewhere. */
const numbers: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown) => (typeof value === 'number' ? formatNumber(value) : (value as string)),
}

/** Begin with English, whose texts come with the page, and change to the chosen language. */
export async function startTranslations(): Promise<void> {
  await i18next.use(initReactI18next).use(numbers).init({
    lng: 'en',
    fallbackLng: 'en',
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false, alwaysFormat: true },
    resources: { en: { translation: english } },
  })
  await applyLanguage(localStorage.getItem(STORED))
}

export { i18next }
export const t = i18next.t
