import type { Problem } from '../api/client'
import { formatNumber, t } from '../i18n'

/** A position as messages of the server begin with it: `links[0].text`. */
const positionOf = (path: Problem['path']): string =>
  path.reduce<string>((text, step) => (/^\d+$/.test(String(step)) ? `${text}[${step}]` : text ? `${text}.${step}` : String(step)), '')

const count = (digits = '') => ({ count: Number(digits) })
const limit = (text = '') => ({ limit: /^-?\d+(\.\d+)?$/.test(text) ? formatNumber(text) : text })

/**
 * What the server's own messages say of a value, in the words of the UI. They are those of Strapi, which have no code.
 * Messages of the project's code are shown as they are.
 */
const WORDINGS: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  // Worded by a schema library, not for people.
  [/must be defined\.?$|cannot be null\.?$|the final value was: `null`/, () => t('problems.missing')],
  [/^must be at least (\d+) characters$/, ([, digits]) => t('problems.minLength', count(digits))],
  [/^must be at most (\d+) characters$/, ([, digits]) => t('problems.maxLength', count(digits))],
  [/^must match the following: "(.+)"$/, ([, pattern]) => t('problems.pattern', { pattern })],
  [/^must be greater than or equal to (.+)$/, ([, text]) => t('problems.min', limit(text))],
  [/^must be less than or equal to (.+)$/, ([, text]) => t('problems.max', limit(text))],
  [/^field must have at least (\d+) items$/, ([, digits]) => t('problems.minItems', count(digits))],
  [/^field must have less than or equal to (\d+) items$/, ([, digits]) => t('problems.maxItems', count(digits))],
  [/^must be an? (?:valid )?integer$/, () => t('problems.integer')],
  [/^must be a valid email$/, () => t('problems.email')],
  [/^This attribute must be unique$/, () => t('problems.unique')],
]

/** The message for a field, which is labelled already, so without its position. */
export function wordingOf({ path, message }: Problem): string {
  const position = `${positionOf(path)} `
  const text = message.startsWith(position) ? message.slice(position.length) : message
  for (const [pattern, say] of WORDINGS) {
    const found = pattern.exec(text)
    if (found) return say(found)
  }
  return text
}
