import { request } from '../api/client'
import type { Locale } from '../api/types'

// Before somebody has signed in, the server does not list all the locales that it knows.
const COMMON = [
  'ar', 'bg', 'ca', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fa', 'fi', 'fr', 'he', 'hi', 'hr', 'hu', 'id', 'it', 'ja', 'ko',
  'lt', 'lv', 'nb', 'nl', 'pl', 'pt', 'pt-BR', 'ro', 'ru', 'sk', 'sl', 'sr', 'sv', 'th', 'tr', 'uk', 'vi', 'zh-Hans', 'zh-Hant',
]

/** Common locales of content, by their names in the language of the UI. */
export function localeChoices(language: string): { value: string; label: string }[] {
  const names = new Intl.DisplayNames([language], { type: 'language' })
  return COMMON.map((value) => ({ value, label: `${names.of(value) ?? value} (${value})` })).sort((a, b) => a.label.localeCompare(b.label, language))
}

/** Make a locale the one that content is written in first; add it where the project has it not yet. */
export async function setDefaultLocale(code: string): Promise<void> {
  const present = ((await request('GET /i18n/locales')) as unknown as Locale[]).find((one) => one.code === code)
  if (present?.isDefault) return
  if (present) {
    await request('PUT /i18n/locales/{id}', { path: { id: present.id }, body: { name: present.name, isDefault: true } })
    return
  }
  const known = (await request('GET /i18n/iso-locales')).find((one) => one.code === code)
  await request('POST /i18n/locales', { body: { code, name: known?.name ?? code, isDefault: true } })
}
