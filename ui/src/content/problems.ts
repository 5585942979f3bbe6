import type { Problem } from '../api/client'
import { t } from '../i18n'

/** A position as messages of the server begin with it: `links[0].text`. */
const positionOf = (path: Problem['path']): string =>
  path.reduce<string>((text, step) => (/^\d+$/.test(String(step)) ? `${text}[${step}]` : text ? `${text}.${step}` : String(step)), '')

/**
 * The message for a field, which is labelled already, so without its position. That for a missing
 * value is worded by a schema library, not for people.
 */
export function wordingOf({ path, message }: Problem): string {
  if (/ must be defined\.?$|the final value was: `null`/.test(message)) return t('problems.missing')
  const position = `${positionOf(path)} `
  return message.startsWith(position) ? message.slice(position.length) : message
}
