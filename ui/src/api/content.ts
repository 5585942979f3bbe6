import { request } from './client'
import type { ProjectFunction } from './generated'

/** A request to the content API as programs send it, with a token or without one. */
export type ContentRequest = { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; address: string; body?: string; token?: string }
/**
 * What came back, and how long it took; the size is that of the body in bytes. Where the server says so, also which
 * function of the project has failed, or why the request was refused.
 */
export type ContentResponse = { status: number; ms: number; size: number; text: string; code?: ProjectFunction; reason?: string }
/** Who reads content: a role of end users, or one of them. */
export type Reader = { kind: 'role' | 'user'; id: number }

/** Send a request without the session of the administrator. */
export async function sendContentRequest({ method, address, body, token }: ContentRequest): Promise<ContentResponse> {
  const begun = performance.now()
  const response = await fetch(address, {
    method,
    credentials: 'omit',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body,
  })
  const content = await response.blob()
  return { status: response.status, ms: Math.round(performance.now() - begun), size: content.size, text: indented(await content.text()) }
}

/** Read content as an end user would; also returns the role that the answer depended on. */
export async function readAsEndUser({ kind, id }: Reader, address: string): Promise<{ response: ContentResponse; role: number | null }> {
  const { pathname, search } = new URL(address)
  const begun = performance.now()
  const options = { path: { id }, body: { path: pathname + search } }
  const { data } =
    kind === 'role'
      ? await request('POST /admin/x/end-user-roles/{id}/request', options)
      : await request('POST /admin/x/end-users/{id}/request', options)
  const size = new TextEncoder().encode(data.body).length
  const { status, code, reason } = data
  return { response: { status, ms: Math.round(performance.now() - begun), size, text: indented(data.body), code, reason }, role: data.role }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
