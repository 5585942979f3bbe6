import { i18next, t } from '../i18n'

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** What is written on a key, on keyboards of the language of the UI; `Mod` is the key that starts shortcuts. */
export function keyName(key: string): string {
  if (key === 'Mod' && isMac) return '⌘'
  const name = `key.${key}`
  return i18next.exists(name) ? t(name as 'key.Mod') : key
}
