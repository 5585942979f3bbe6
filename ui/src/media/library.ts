import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../api/client'
import { keys } from '../api/keys'
import type { Folder, MediaFile } from '../api/types'
import { filterOf } from './files'

export const FILE_KINDS = ['images', 'videos', 'audios', 'files'] as const
export type FileKind = (typeof FILE_KINDS)[number]
export const LACKS = ['alternative', 'usage'] as const
export type Lack = (typeof LACKS)[number]

/** What the library shows, all of it in the address. */
export type LibrarySearch = {
  folder?: number
  q?: string
  sort?: string
  kind?: FileKind
  /** Images without an alternative text, or files that nothing uses. */
  lacks?: Lack
  view?: 'table'
  page?: number
}

export type FilePage = { results: MediaFile[]; pageCount: number; total: number | null }

const PAGE_SIZE = 48
const MOST_UNUSED = 500

export const structureQuery = queryOptions({
  queryKey: [...keys.media, 'structure'],
  queryFn: async () => (await request('GET /upload/folder-structure')).data as unknown as Folder[],
})

/** The folders from the root down to one, undefined where there is no such folder. */
export function trailTo(folders: Folder[], id: number): Folder[] | undefined {
  for (const folder of folders) {
    if (folder.id === id) return [folder]
    const inner = trailTo(folder.children ?? [], id)
    if (inner) return [folder, ...inner]
  }
  return undefined
}

/** All folders with the path that leads to them. */
export function pathsOf(folders: Folder[], above = ''): { id: number; path: string }[] {
  return folders.flatMap((folder) => [
    { id: folder.id, path: above + folder.name },
    ...pathsOf(folder.children ?? [], `${above}${folder.name} / `),
  ])
}

export const filesQuery = (search: LibrarySearch) =>
  queryOptions({
    queryKey: [...keys.media, 'files', search],
    placeholderData: keepPreviousData,
    queryFn: async (): Promise<FilePage> => {
      if (search.lacks === 'usage') return { results: await unusedFiles(), pageCount: 1, total: null }
      const everywhere = Boolean(search.q) || search.lacks !== undefined
      const parts = [
        everywhere ? undefined : { folder: search.folder ? { id: { $eq: search.folder } } : { id: { $null: true } } },
        filterOf(search.lacks ? ['images'] : search.kind ? [search.kind] : undefined),
        search.lacks ? { $or: [{ alternativeText: { $null: true } }, { alternativeText: { $eq: '' } }] } : undefined,
      ].filter((part) => part !== undefined)
      const found = (await request('GET /upload/files', {
        query: { page: search.page ?? 1, pageSize: PAGE_SIZE, sort: search.sort ?? 'createdAt:DESC', _q: search.q, filters: { $and: parts } as never },
      })) as unknown as { results: MediaFile[]; pagination: { pageCount: number; total: number } }
      return { results: found.results, ...found.pagination }
    },
  })

/** Files that nothing uses: the server looks through the library part by part. */
async function unusedFiles(): Promise<MediaFile[]> {
  const found: MediaFile[] = []
  let after: number | null | undefined
  do {
    const answer = (await request('GET /admin/x/media/unused', { query: { after: after ?? undefined } })) as unknown as { data: MediaFile[]; meta: { after: number | null } }
    found.push(...answer.data)
    after = answer.meta.after
  } while (after !== null && found.length < MOST_UNUSED)
  return found
}

/** A version of an entry that uses a file; `hidden` counts those that the role may not see. */
export type Usage = {
  contentTypeUid: string
  contentTypeDisplayName: string
  kind: string
  documentId: string
  locale: string | null
  status: string
  title: string | null
  field: string
}

export const usageQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.media, 'usage', id],
    queryFn: async () => {
      const { data, meta } = (await request('GET /admin/x/media/{id}/usage', { path: { id } })) as unknown as { data: Usage[]; meta?: { hidden?: number } }
      return { entries: data, hidden: meta?.hidden ?? 0 }
    },
  })
