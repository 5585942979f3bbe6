import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/client'
import type { ContentType, Entry } from '../../api/types'

export type Previews = { previews: Record<string, string>; frameSources: string[] }

/** The preview URLs of content types, and the origins that may be shown beside a form. */
export const previewsQuery = queryOptions({
  queryKey: ['previews'],
  staleTime: 60_000,
  queryFn: async () => (await request('GET /admin/x/previews')).data as Previews,
})

export const PLACEHOLDERS = ['documentId', 'locale', 'slug', 'status'] as const
type Placeholder = (typeof PLACEHOLDERS)[number]

/** The attribute that has the slug of an entry: the first of type uid, else one with that name. */
const slugAttribute = (type: ContentType): string =>
  Object.entries(type.attributes).find(([, attribute]) => attribute.type === 'uid')?.[0] ?? 'slug'

type Shown = { type: ContentType; entry: Entry; locale: string | undefined; status: 'draft' | 'published' }

/** The address at which a site shows an entry, or the placeholder that the entry has no value for. */
export function previewUrl(pattern: string, { type, entry, locale, status }: Shown): { url: string } | { missing: Placeholder } {
  const values: Record<Placeholder, unknown> = { documentId: entry.documentId, locale: locale ?? '', slug: entry[slugAttribute(type)], status }
  // A type without locales has none to put into a path, and needs none.
  const missing = PLACEHOLDERS.find((name) => pattern.includes(`{${name}}`) && name !== 'locale' && !values[name])
  if (missing) return { missing }
  return { url: pattern.replace(/\{(\w+)\}/g, (_, name: Placeholder) => encodeURIComponent(String(values[name] ?? ''))) }
}

/** Whether the content security policy of the page lets it show an address in a frame. */
export function canFrame(url: string, sources: readonly string[], page: string = location.href): boolean {
  const { origin, protocol, hostname, port } = new URL(url, page)
  return sources.some((source) => {
    if (source === "'self'") return origin === new URL(page).origin
    if (source === '*' || source === protocol) return true
    const [, scheme, host = '', itsPort] = /^(?:(https?):\/\/)?([^:/]+)(?::(\d+|\*))?/.exec(source) ?? []
    if (scheme && `${scheme}:` !== protocol) return false
    if (itsPort !== '*' && (itsPort ?? '') !== port) return false
    return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host
  })
}
