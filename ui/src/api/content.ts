/** A request to the content API as programs send it, with a token or without one. */
export type ContentRequest = { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; address: string; body?: string; token?: string }
/** What came back, and how long it took; the size is that of the body in bytes. */
export type ContentResponse = { status: number; ms: number; size: number; text: string }

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

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
