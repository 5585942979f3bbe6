const KEY = 'quire-admin-device'

/** An id of this browser, so that signing out ends the sessions of it alone. */
export function deviceId(): string {
  const known = localStorage.getItem(KEY)
  if (known) return known
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  localStorage.setItem(KEY, id)
  return id
}
