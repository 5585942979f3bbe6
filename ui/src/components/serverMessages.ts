import { ApiError, type Problem } from '../api/client'
import { formatNumber, t } from '../i18n'

/** How the field at a path is called. */
export type FieldName = (path: Problem['path']) => string

/** A position as messages of the server begin with it: `links[0].text`. */
const positionOf: FieldName = (path) =>
  path.reduce<string>((text, step) => (/^\d+$/.test(String(step)) ? `${text}[${step}]` : text ? `${text}.${step}` : String(step)), '')

const count = (digits = '') => ({ count: Number(digits) })
const limit = (text = '') => ({ limit: /^-?\d+(\.\d+)?$/.test(text) ? formatNumber(text) : text })

/**
 * What the server's own messages say, in the words of the UI. Many are those of Strapi, and none has a code. Messages of
 * the project's code are shown as they are.
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
  [/^must be one of the following values: (.+)$/, ([, choices]) => t('problems.choice', { choices })],
  [/^This attribute must be unique$/, () => t('problems.unique')],
  [/^Invalid format, expected|^Invalid time format/, () => t('problems.format')],
  // Of entries.
  [/^Only entries in the stage "(.+)" can be published; this one is in "(.+)"$/, ([, required, present]) => t('problems.stage', { required, present })],
  [/^The entry does not exist any more$|^Entity not found$|^Document not found$/, () => t('problems.gone')],
  [/^You may not publish this entry$|^You may not change or publish the entry \w+$/, () => t('problems.mayNotPublish')],
  [/^The administrator who scheduled this may not sign in any more$/, () => t('problems.noEditor')],
  [/^(\d+) of (\d+) items cannot be carried out$/, ([, failed, total]) => t('problems.items', { failed, total })],
  [/^The release has been published; undo it before it is changed$/, () => t('problems.releasePublished')],
  [/^(?:publishAt|unpublishAt|scheduledAt|at) must be in the future$/, () => t('problems.future')],
  [/^unpublishAt must be after publishAt$/, () => t('problems.unpublishAfter')],
  [/^\d+ errors occurred$|^Validation error$|^ValidationError$/, () => t('problems.several')],
  [/^Invalid relations$/, () => t('problems.relations')],
  [/^The entry was created already, and a rule of the project hides it$/, () => t('problems.createdAndHidden')],
  [/^This administrator has registered already$/, () => t('problems.hasRegistered')],
  // Of names and accounts.
  [/^There is an? (?:open release|workflow) with the name ".+"$|^Name already taken$|^This locale already exists$/, () => t('problems.nameTaken')],
  [/^A folder with this name already exists$|^The name must be unique and a role with name `.+` already exists\.$/, () => t('problems.nameTaken')],
  [/^two stages have the name ".+"$/, () => t('problems.nameTaken')],
  [/^(\S+) is in the workflow (.+)$/, ([, type, workflow]) => t('problems.inWorkflow', { type, workflow })],
  [/^Email (?:is )?already taken\.?$|^A user with this email address already exists$|^Email or Username are already taken$/, () => t('problems.emailTaken')],
  [/^Username already taken$/, () => t('problems.usernameTaken')],
  [/^Invalid credentials$/, () => t('problems.credentials')],
  [/^Invalid code$/, () => t('problems.code')],
  [/^Some roles are still assigned to some users$/, () => t('problems.roleInUse')],
  [/^You must have at least one user with super admin role\.$/, () => t('problems.lastSuperAdmin')],
  [/^You cannot delete your own user$/, () => t('problems.deleteSelf')],
  [/^This goes beyond what you may do yourself$/, () => t('problems.beyondOwn')],
  [/^Cannot delete the default locale$/, () => t('problems.defaultLocale')],
  // Of files.
  [/^File type '.+' is not allowed$|^MIME type is not allowed$/, () => t('problems.fileType')],
  [/exceeds the size limit\.$/, () => t('problems.fileSize')],
  [/^File is not a valid image$/, () => t('problems.image')],
  [/^The image has more pixels than can be dealt with$/, () => t('problems.pixels')],
  [/^(?:Images of this type|Animated images) cannot be cropped$/, () => t('problems.crop')],
  [/^The file was changed meanwhile$|^The file is being replaced by somebody else$/, () => t('problems.fileChanged')],
  [/^The file cannot be had from this address$/, () => t('problems.address')],
  [/^Url is not supported because it isn't reachable over the public internet$|^The address is not on the public internet$/, () => t('problems.publicAddress')],
  // Of the model.
  [/^The plan is another one by now/, () => t('problems.plan')],
]

/** The wording of a message, null where it is not the server's own. */
function knownWording(text: string): string | null {
  for (const [pattern, say] of WORDINGS) {
    const found = pattern.exec(text)
    if (found) return say(found)
  }
  return null
}

/** The message for a field, which is labelled already, so without its position. */
export function wordingOf({ path, message }: Problem): string {
  const position = `${positionOf(path)} `
  const text = message.startsWith(position) ? message.slice(position.length) : message
  return knownWording(text) ?? text
}

/** A message that stands alone, so with the position that it begins with; some are of several problems. */
export function wordingOfText(text: string, nameOf: FieldName = positionOf): string {
  return text
    .split(/; (?!this one is in )/)
    .map((one) => {
      const [, position, rest] = /^([\w.[\]]+) (.+)$/.exec(one) ?? []
      const wording = rest === undefined ? null : knownWording(rest)
      return wording === null || position === undefined ? (knownWording(one) ?? one) : `${nameOf(position.split(/[.[\]]+/).filter(Boolean))}: ${wording}`
    })
    .join('; ')
}

/** What the server says of a request that it rejects; `nameOf` knows the labels of the fields that it may be about. */
export function wordingOfError(error: unknown, nameOf: FieldName = positionOf): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const { problems, message } = error
  return problems.length > 0 ? problems.map((problem) => wordingWithName(problem, nameOf)).join(' · ') : wordingOfText(message, nameOf)
}

/** The message of a problem for a place away from its field. */
export function wordingWithName({ path, message }: Problem, nameOf: FieldName): string {
  const name = nameOf(path)
  if (name === '') return wordingOfText(message, nameOf)
  // A problem of the project's code names its file by itself.
  return message.startsWith(`${path[0]}: `) ? message : `${name}: ${wordingOf({ path, message })}`
}
