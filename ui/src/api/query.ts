/** A value of a query string: nested objects and lists become `a[b][0]=…`. */
export type QueryValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly QueryValue[]
  | { readonly [key: string]: QueryValue }

/** Encode values as the server's parser reads them. Absent values are left out. */
export function encodeQuery(values: { readonly [key: string]: QueryValue }): string {
  const parts: string[] = []
  for (const [key, value] of Object.entries(values)) collect(encodeURIComponent(key), value, parts)
  return parts.join('&')
}

function collect(name: string, value: QueryValue, parts: string[]): void {
  if (value === undefined || value === null) return
  if (Array.isArray(value)) {
    value.forEach((item: QueryValue, index) => collect(`${name}[${index}]`, item, parts))
  } else if (typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      collect(`${name}[${encodeURIComponent(key)}]`, inner, parts)
    }
  } else {
    parts.push(`${name}=${encodeURIComponent(String(value))}`)
  }
}
