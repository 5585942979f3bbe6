import dayjs from 'dayjs'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import account from './en/account.json'
import activity from './en/activity.json'
import common from './en/common.json'
import content from './en/content.json'
import explorer from './en/explorer.json'
import fields from './en/fields.json'
import media from './en/media.json'
import model from './en/model.json'
import settings from './en/settings.json'

/** English, in one file for each area of the UI; the other languages have the same files and keys. */
const english = { ...account, ...activity, ...common, ...content, ...explorer, ...fields, ...media, ...model, ...settings }

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    keySeparator: false
    nsSeparator: false
    resources: { translation: typeof english }
  }
}

export const languages = { en: 'English', de: 'Deutsch', fr: 'Français' } as const
export type Language = keyof typeof languages

const STORED = 'quire.language'
const translations = import.meta.glob<Record<string, string>>(['./de/*.json', './fr/*.json'], { import: 'default' })
const dateFormats: Partial<Record<Language, () => Promise<unknown>>> = {
  de: () => import('dayjs/locale/de'),
  fr: () => import('dayjs/locale/fr'),
}

export const isLanguage = (value: unknown): value is Language => typeof value === 'string' && value in languages

/** The language that was chosen on this device, or else the first of the browser's that there is. */
function initialLanguage(): Language {
  const candidates = [localStorage.getItem(STORED), ...navigator.languages.map((one) => one.slice(0, 2))]
  return candidates.find(isLanguage) ?? 'en'
}

/** Load the texts of a language and its date formats, and show the UI in it from now on. */
export async function setLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, 'translation')) {
    const files = Object.entries(translations).filter(([path]) => path.startsWith(`./${language}/`))
    const loaded = await Promise.all(files.map(([, load]) => load()))
    i18next.addResourceBundle(language, 'translation', Object.assign({}, ...loaded))
  }
  await dateFormats[language]?.()
  dayjs.locale(language)
  document.documentElement.lang = language
  localStorage.setItem(STORED, language)
  await i18next.changeLanguage(language)
}

/** Begin with English, whose texts come with the page, and change to the chosen language. */
export async function startTranslations(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
    resources: { en: { translation: english } },
  })
  const language = initialLanguage()
  if (language !== 'en') await setLanguage(language)
}

export { i18next }
export const t = i18next.t
