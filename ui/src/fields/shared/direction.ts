import { useContext } from 'react'
import { EntryScopeContext } from '../../content/editor/scope'

const RIGHT_TO_LEFT = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'iw', 'ks', 'lrc', 'mzn', 'nqo', 'pnb', 'prs', 'ps', 'sd', 'syr', 'ug', 'ur', 'yi'])
const RIGHT_TO_LEFT_SCRIPTS = /^(adlm|arab|aran|hebr|nkoo|rohg|syrc|thaa)$/

/** The direction of text in a locale: from right to left, or that of its own letters. */
export function textDirection(locale: string | null | undefined): 'rtl' | 'auto' {
  const [language = '', ...rest] = (locale ?? '').toLowerCase().split(/[-_]/)
  const script = rest.find((part) => part.length === 4 && /^[a-z]+$/.test(part))
  const isRightToLeft = script ? RIGHT_TO_LEFT_SCRIPTS.test(script) : RIGHT_TO_LEFT.has(language)
  return isRightToLeft ? 'rtl' : 'auto'
}

/** What an input for text of an entry says of its language. */
export function useTextLanguage(): { lang: string | undefined; dir: 'rtl' | 'auto' } {
  const locale = useContext(EntryScopeContext)?.locale
  return { lang: locale, dir: textDirection(locale) }
}
