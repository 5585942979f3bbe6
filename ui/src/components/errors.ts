import { ApiError } from '../api/client'
import { t } from '../i18n'
import { wordingOfError, type FieldName } from './serverMessages'

/** What an error means to people, what they can do about it, and the facts that the server's log has. */
export type Explanation = {
  title: string
  hint: string
  /** The status and the server's own words, where the hint does not have them. */
  facts: string[]
  requestId: string | null
  remedy: 'retry' | 'reload' | 'signIn' | null
}

/** A function of the project that has failed; only super admins are told which. */
export type ProjectFunction = { function?: string; place?: string }

const UNAVAILABLE = new Set([502, 503, 504])

/** The function of the project that an error is about, if it is about one. */
const codeOf = (error: ApiError) => error.details?.code as ProjectFunction | undefined

/** Whether the server cannot be used at the moment: it restarts, or what stands before it does not reach it. */
export const isUnavailable = (error: unknown): boolean => error instanceof ApiError && UNAVAILABLE.has(error.status) && !codeOf(error)

/** Whether the same request may succeed later: it has not been refused. */
export const isFailure = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 500)

/** What says no more than the status does. */
const WITHOUT_REASON = /^(forbidden|forbidden access|policy failed|too many requests.*|(.* )?not ?found)\.?$/i

/** Explain an error of a request, or of this code. */
export function explain(error: unknown): Explanation {
  if (!(error instanceof ApiError)) {
    // A mistake of this code, or a part of it that the server has no longer.
    const message = error instanceof Error ? error.message : String(error)
    return { title: t('error.ui'), hint: t('error.uiHint'), facts: [message], requestId: null, remedy: 'reload' }
  }
  const { status, message, requestId } = error
  const facts = status > 0 ? [t('error.status', { status })] : []
  const of = (title: string, hint: string, remedy: Explanation['remedy'] = 'retry', more: string[] = []): Explanation => ({
    title,
    hint,
    facts: [...facts, ...more],
    requestId,
    remedy,
  })
  if (error.code === 'TimeoutError') return of(t('error.late'), t('error.lateHint'))
  if (status === 0) return of(t('error.unreachable'), t('error.unreachableHint'))
  if (status === 401) return of(t('error.signedOut'), t('error.signedOutHint'), 'signIn')
  if (status === 403) {
    const reason = error.details?.reason
    if (typeof reason === 'string') return of(t('error.codeRefused'), reason, null)
    return WITHOUT_REASON.test(message) ? of(t('error.forbidden'), t('error.forbiddenHint'), null) : of(t('error.refused'), wordingOfError(error), null)
  }
  if (status === 404) return of(t('error.missing'), WITHOUT_REASON.test(message) ? t('error.missingHint') : wordingOfError(error), null)
  if (status === 429) {
    const usual = error.retryAfter ? t('error.tooManyFor', { count: error.retryAfter }) : t('error.tooManyHint')
    const hint = WITHOUT_REASON.test(message) ? usual : wordingOfError(error)
    return of(t('error.tooMany'), hint)
  }
  const code = codeOf(error)
  if (code) {
    const isLate = UNAVAILABLE.has(status)
    const hint = code.function ? t(isLate ? 'error.codeLateHint' : 'error.codeHint', code) : t(requestId ? 'error.serverHint' : 'error.serverHintWithoutId')
    return of(t(isLate ? 'error.codeLate' : 'error.code'), hint)
  }
  if (isUnavailable(error)) return of(t('error.unavailable'), t('error.unavailableHint'), 'retry', [message])
  if (status >= 500) return of(t('error.server'), requestId ? t('error.serverHint') : t('error.serverHintWithoutId'), 'retry', [message])
  return of(t('error.refused'), wordingOfError(error))
}

/** What an error says in one line; `nameOf` knows the labels of the fields that it may be about. */
export function messageOf(error: unknown, nameOf?: FieldName): string {
  // A form to sign in is not for those who were signed out.
  if (!(error instanceof ApiError) || error.status === 401) return wordingOfError(error)
  const { title, hint, requestId } = explain(error)
  if (title === t('error.refused')) return wordingOfError(error, nameOf)
  return `${title}. ${hint}${requestId && hint === t('error.serverHint') ? ` ${t('error.requestId')}: ${requestId}` : ''}`
}
