import { create } from 'zustand'
import { t } from '../i18n'
import type { Operations } from './generated'
import { encodeQuery, type QueryValue } from './query'
import { useViewAs, viewedRoleAgainst } from './viewAs'

export type Problem = { path: (string | number)[]; message: string; name?: string }

/** An error response of the server, or no response at all (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> | null = null,
    readonly requestId: string | null = null,
    readonly retryAfter: number | null = null,
  ) {
    super(message)
    this.name = 'ApiError'
  }

  /** The problems of a request body, by attribute. */
  get problems(): Problem[] {
    const errors = this.details?.errors
    if (!Array.isArray(errors)) return []
    return errors.map((one: { path?: unknown; message?: unknown; name?: string }) => ({
      path: Array.isArray(one.path) ? (one.path as (string | number)[]) : String(one.path ?? '').split('.'),
      message: String(one.message),
      name: one.name,
    }))
  }
}

export type SessionStatus = 'unknown' | 'anonymous' | 'signed-in' | 'expired'

type Session = { status: SessionStatus; online: boolean; serverReachable: boolean }

/** Whether somebody is signed in, and whether the server can be reached. */
export const useSession = create<Session>(() => ({
  status: 'unknown',
  online: typeof navigator === 'undefined' ? true : navigator.onLine,
  serverReachable: true,
}))

let token: string | null = null
let waiting: (() => void)[] = []
let refreshing: Promise<boolean> | null = null

// Scripts cannot see the refresh cookie. This says whether there should be one, so that visitors who
// never signed in do not ask for a token in vain.
const SESSION_MARK = 'quire-admin-session'

/** Whether this browser was signed in when it was used last. */
export const mayHaveSession = (): boolean => localStorage.getItem(SESSION_MARK) !== null

/** Take the access token of a sign-in, and let requests go on that waited for one. */
export function signedIn(accessToken: string): void {
  token = accessToken
  localStorage.setItem(SESSION_MARK, '1')
  useSession.setState({ status: 'signed-in' })
  const waited = waiting
  waiting = []
  for (const resume of waited) resume()
}

export function signedOut(): void {
  token = null
  localStorage.removeItem(SESSION_MARK)
  waiting = []
  useViewAs.setState({ role: null })
  useSession.setState({ status: 'anonymous' })
}

// When an exchange of the refresh cookie was begun that no page has seen the end of.
const EXCHANGE_MARK = 'quire-admin-exchange'
const EXCHANGE_MS = 5_000
const RETRY_MS = 300

/** Whether a page was left while it exchanged the refresh cookie, a moment ago. */
function isExchangeUnderWay(): boolean {
  const begun = Number(localStorage.getItem(EXCHANGE_MARK) ?? 0)
  return Math.abs(Date.now() - begun) < EXCHANGE_MS
}

/**
 * Send the refresh cookie, which the server replaces. The request outlives a page that is reloaded
 * meanwhile; the new page is refused until the browser has the cookie of the response, so it tries again.
 */
async function exchange(): Promise<Response> {
  const wasUnderWay = isExchangeUnderWay()
  if (!wasUnderWay) localStorage.setItem(EXCHANGE_MARK, String(Date.now()))
  let response = await sendExchange()
  while (response.status === 401 && wasUnderWay && isExchangeUnderWay()) {
    await new Promise((resume) => setTimeout(resume, RETRY_MS))
    response = await sendExchange()
  }
  localStorage.removeItem(EXCHANGE_MARK)
  return response
}

const sendExchange = (): Promise<Response> => send('POST', '/admin/access-token', null, { timeout: READ_MS })

/** Exchange the refresh cookie for an access token. Several tabs take turns: each use changes it. */
export function refreshToken(): Promise<boolean> {
  refreshing ??= exclusively(async () => {
    const response = await exchange()
    // A server that is stopping, or is asked too often, says nothing about the session.
    if (response.status >= 500 || response.status === 429) throw await errorOf(response)
    if (!response.ok) return false
    const { data } = (await response.json()) as { data: { token: string } }
    signedIn(data.token)
    return true
  }).finally(() => {
    refreshing = null
  })
  return refreshing
}

async function exclusively(work: () => Promise<boolean>): Promise<boolean> {
  // Browsers have locks on secure addresses only.
  if (!('locks' in navigator)) return work()
  return (await navigator.locks.request('quire-admin-token', work)) as boolean
}

/** How long a request for data may wait for a response. What the server does may take longer. */
const READ_MS = 30_000
/** How long somebody waits who saves or signs in. */
export const SAVE_MS = 60_000
/** How long nothing of an upload may arrive. */
const STALLED_MS = 60_000

type Options<Key extends keyof Operations> = {
  path?: Record<string, string | number>
  query?: { readonly [key: string]: QueryValue }
  body?: Operations[Key]['body'] | FormData
  headers?: Record<string, string>
  signal?: AbortSignal
  /** How long to wait for a response, in milliseconds. */
  timeout?: number
}

/** Send a request that the server describes: the key is its method and path. */
export async function request<Key extends keyof Operations>(
  key: Key,
  options: Options<Key> = {},
): Promise<Operations[Key]['response']> {
  requireOwnView(key, options.body)
  const [method = 'GET', template = ''] = key.split(' ')
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(options.path?.[name] ?? '')),
  )
  const query = options.query ? encodeQuery(options.query) : ''
  return (await call(method, query ? `${path}?${query}` : path, options)) as Operations[Key]['response']
}

/** Refuse to change something while the UI is viewed as a role. */
function requireOwnView(operation: string, body?: unknown): void {
  const role = viewedRoleAgainst(operation, body)
  if (role) throw new ApiError(423, 'ViewAs', t('viewAs.refused', { role: role.name }))
}

const WITHOUT_TOKEN = /^\/admin\/(login|register|register-admin|forgot-password|reset-password)$/

async function call(method: string, address: string, options: Sent): Promise<unknown> {
  let response = await send(method, address, token, options)
  if (response.status === 401 && !WITHOUT_TOKEN.test(address)) {
    if (!(await renewToken())) throw await errorOf(response)
    response = await send(method, address, token, options)
  }
  if (!response.ok) throw await errorOf(response)
  if (response.status === 204) return undefined
  const type = response.headers.get('content-type') ?? ''
  // Lines of JSON are no JSON text as a whole.
  return type.includes('json') && !type.includes('ndjson') ? await response.json() : await response.text()
}

/** Get a new token for a request that was refused; false where nobody was signed in. */
async function renewToken(): Promise<boolean> {
  if (await refreshToken()) return true
  if (useSession.getState().status === 'unknown' || token === null) {
    signedOut()
    return false
  }
  // Somebody was signed in: the page stays, and the request goes on when they are again.
  useSession.setState({ status: 'expired' })
  await new Promise<void>((resume) => waiting.push(resume))
  return true
}

type Sent = { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal; timeout?: number }

async function send(method: string, address: string, bearer: string | null, { body, headers, signal, timeout }: Sent = {}): Promise<Response> {
  const isForm = body instanceof FormData
  // Until the response begins: a long one may take its time.
  const late = new AbortController()
  const longest = timeout ?? (method === 'GET' ? READ_MS : undefined)
  const timer = longest && setTimeout(() => late.abort(overdue()), longest)
  try {
    const response = await fetch(address, {
      method,
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      keepalive: address === '/admin/access-token',
      credentials: 'same-origin',
      headers: {
        ...(body !== undefined && !isForm ? { 'content-type': 'application/json' } : {}),
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...headers,
      },
      body: body === undefined ? undefined : isForm ? body : JSON.stringify(body),
    })
    if (!useSession.getState().serverReachable) useSession.setState({ serverReachable: true })
    return response
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    const isLate = error instanceof ApiError
    // One request for data that takes too long says little about the server; what was typed is sent again once it is there.
    if (!isLate || method !== 'GET') useSession.setState({ serverReachable: false })
    throw isLate ? error : unreachable()
  } finally {
    clearTimeout(timer)
  }
}

const unreachable = () => new ApiError(0, 'NetworkError', `${t('error.unreachable')}. ${t('error.unreachableHint')}`)
const overdue = () => new ApiError(0, 'TimeoutError', `${t('error.late')}. ${t('error.lateHint')}`)

async function errorOf(response: Response): Promise<ApiError> {
  const id = response.headers.get('x-request-id')
  const after = Number(response.headers.get('retry-after'))
  let error: { name?: string; message?: string; details?: Record<string, unknown> } | undefined
  try {
    error = ((await response.json()) as { error?: typeof error }).error
  } catch {
    error = undefined
  }
  return new ApiError(
    response.status,
    error?.name ?? 'Error',
    error?.message ?? (response.statusText || `Status ${response.status}`),
    error?.details ?? null,
    id,
    Number.isFinite(after) && after > 0 ? after : null,
  )
}

/** Upload with progress, again with a new token where the token has expired. */
export async function upload(...sent: Parameters<typeof sendWithProgress>): Promise<unknown> {
  try {
    return await sendWithProgress(...sent)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401 && (await renewToken()))) throw error
    return sendWithProgress(...sent)
  }
}

/** Send a form by XMLHttpRequest: fetch does not report its progress. */
function sendWithProgress(
  address: string,
  form: FormData,
  onProgress: (share: number) => void,
  signal?: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    requireOwnView(`POST ${address}`)
    // It may have been cancelled while somebody signed in again.
    signal?.throwIfAborted()
    const sent = new XMLHttpRequest()
    sent.open('POST', address)
    if (token) sent.setRequestHeader('authorization', `Bearer ${token}`)
    const fail = (error: ApiError) => {
      useSession.setState({ serverReachable: false })
      reject(error)
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        fail(overdue())
        sent.abort()
      }, STALLED_MS)
    }
    sent.onloadstart = wait
    sent.upload.onprogress = (event) => {
      wait()
      if (event.lengthComputable) onProgress(event.loaded / event.total)
    }
    // What the server makes of a file that has arrived may take longer.
    sent.upload.onload = () => clearTimeout(timer)
    sent.onloadend = () => clearTimeout(timer)
    sent.onerror = () => fail(unreachable())
    sent.onabort = () => reject(new DOMException(t('error.uploadCancelled'), 'AbortError'))
    sent.onload = () => {
      let body: unknown
      try {
        body = JSON.parse(sent.responseText)
      } catch {
        body = null
      }
      if (sent.status >= 200 && sent.status < 300) return resolve(body)
      const error = (body as { error?: { name?: string; message?: string } } | null)?.error
      reject(
        new ApiError(sent.status, error?.name ?? 'Error', error?.message ?? sent.statusText, null,
          sent.getResponseHeader('x-request-id')),
      )
    }
    signal?.addEventListener('abort', () => sent.abort())
    sent.send(form)
  })
}
