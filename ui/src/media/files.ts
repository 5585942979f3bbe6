import type { MediaFile } from '../api/types'

const GROUPS: Record<string, RegExp> = {
  images: /^image\//,
  videos: /^video\//,
  audios: /^audio\//,
}

/** Tell whether a file may stand in an attribute that allows some groups of types. */
export function isAllowed(mime: string, allowed: string[] | null | undefined): boolean {
  if (!allowed || allowed.length === 0 || allowed.length >= 4) return true
  return allowed.some((group) =>
    group === 'files' ? !Object.values(GROUPS).some((pattern) => pattern.test(mime)) : GROUPS[group]?.test(mime),
  )
}

/** The `accept` of a file control for groups of types. */
export function acceptOf(allowed: string[] | null | undefined): string | undefined {
  if (!allowed || allowed.length === 0 || allowed.includes('files')) return undefined
  return allowed.map((group) => `${group.replace(/s$/, '')}/*`).join(',')
}

/** Filters of `GET /upload/files` for groups of types. */
export function filterOf(allowed: string[] | null | undefined): object | undefined {
  if (!allowed || allowed.length === 0 || allowed.length >= 4) return undefined
  const prefixes = ['image', 'video', 'audio']
  const parts = allowed.map((group) =>
    group === 'files'
      ? { $and: prefixes.map((prefix) => ({ mime: { $notContains: prefix } })) }
      : { mime: { $startsWith: group.replace(/s$/, '') } },
  )
  return parts.length === 1 ? parts[0] : { $or: parts }
}

/** Whether the server makes other sizes of files of a type on demand. */
export const canTransform = (mime: string): boolean => /^image\/(jpeg|png|webp|gif|tiff|avif|heic)$/.test(mime)

/** The address of a small version of an image. */
export function thumbnailOf(file: MediaFile): string | null {
  if (!file.mime.startsWith('image/')) return null
  const formats = file.formats as Record<string, { url: string }> | null | undefined
  return addressOf(file, formats?.thumbnail?.url ?? formats?.small?.url ?? file.url)
}

/** The address of a file, or of one of its formats, which changes when the file is replaced. */
export function addressOf(file: MediaFile, url: string = file.url): string {
  // Other servers sign their addresses, with the query.
  return url.startsWith('/') && file.updatedAt ? `${url}?v=${Date.parse(file.updatedAt)}` : url
}

/** A size in kilobytes, as the server gives it, for people. */
export function sizeText(kilobytes: number | undefined): string {
  if (kilobytes === undefined) return ''
  if (kilobytes < 1000) return `${Math.max(1, Math.round(kilobytes))} kB`
  return `${(kilobytes / 1000).toFixed(1)} MB`
}
