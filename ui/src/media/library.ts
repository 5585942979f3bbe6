import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import dayjs from 'dayjs'
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
  /** Days, as YYYY-MM-DD, between which files were uploaded. */
  from?: string
  to?: string
  /** Kilobytes. */
  minSize?: number
  maxSize?: number
  view?: 'table'
  page?: number
}

export type FilePage = { results: MediaFile[]; pageCount: number; total: number | null }

const PAGE_SIZE = 48
/** How many files the server tells about at once. */
const MAX_FILES_PER_REQUEST = 100
/** How often the server is asked for a page of unused files, each time about a part of the library. */
const MOST_PARTS = 20

export const FILTERS = ['q', 'kind', 'lacks', 'from', 'to', 'minSize', 'maxSize'] as const
/** A search without any filter. */
export const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, undefined])) as Partial<LibrarySearch>

/** Whether files of all folders are shown, not those of one. */
export const isEverywhere = (search: LibrarySearch): boolean => FILTERS.some((name) => name !== 'kind' && search[name] !== undefined)

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

/** A tree of folders without some of them and what is in these: a folder is moved to neither. */
export function withoutFolders(folders: Folder[], ids: number[]): Folder[] {
  return folders.filter((folder) => !ids.includes(folder.id)).map((folder) => ({ ...folder, children: withoutFolders(folder.children ?? [], ids) }))
}

/** All folders with the path that leads to them. */
export function pathsOf(folders: Folder[], above = ''): { id: number; path: string }[] {
  return folders.flatMap((folder) => [
    { id: folder.id, path: above + folder.name },
    ...pathsOf(folder.children ?? [], `${above}${folder.name} / `),
  ])
}

/** The filters of `GET /upload/files` for what the library shows. */
export function fileFilters(search: LibrarySearch): object[] {
  const { folder, kind, lacks, from, to, minSize, maxSize } = search
  const without = lacks === 'alternative' ? { $or: [{ alternativeText: { $null: true } }, { alternativeText: { $eq: '' } }] } : undefined
  return [
    isEverywhere(search) ? undefined : { folder: folder ? { id: { $eq: folder } } : { id: { $null: true } } },
    filterOf(without ? ['images'] : kind ? [kind] : undefined),
    without,
    from ? { createdAt: { $gte: dayjs(from).toISOString() } } : undefined,
    to ? { createdAt: { $lt: dayjs(to).add(1, 'day').toISOString() } } : undefined,
    minSize === undefined ? undefined : { size: { $gte: minSize } },
    maxSize === undefined ? undefined : { size: { $lte: maxSize } },
  ].filter((part) => part !== undefined)
}

export const filesQuery = (search: LibrarySearch) =>
  queryOptions({
    queryKey: [...keys.media, 'files', search],
    enabled: search.lacks !== 'usage',
    placeholderData: keepPreviousData,
    queryFn: async (): Promise<FilePage> => {
      const found = (await request('GET /upload/files', {
        query: { page: search.page ?? 1, pageSize: PAGE_SIZE, sort: search.sort ?? 'createdAt:DESC', _q: search.q, filters: { $and: fileFilters(search) } as never },
      })) as unknown as { results: MediaFile[]; pagination: { pageCount: number; total: number } }
      return { results: found.results, ...found.pagination }
    },
  })

/** Files that nothing uses: the server looks through the library part by part, and a page ends where enough are found. */
export const unusedQuery = (isShown: boolean) =>
  infiniteQueryOptions({
    queryKey: [...keys.media, 'unused'],
    enabled: isShown,
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const found: MediaFile[] = []
      let after: number | null = pageParam
      for (let part = 0; after !== null && found.length < PAGE_SIZE && part < MOST_PARTS; part += 1) {
        const response = (await request('GET /admin/x/media/unused', { query: { after }, signal })) as unknown as { data: MediaFile[]; meta: { after: number | null } }
        found.push(...response.data)
        after = response.meta.after
      }
      return { files: found, after }
    },
    getNextPageParam: ({ after }) => after,
  })

/** Ask the server about files by their ids, many at once. */
async function askInParts<Response>(ids: number[], ask: (ids: number[]) => Promise<Response[]>): Promise<Response[]> {
  const responses: Response[] = []
  for (let start = 0; start < ids.length; start += MAX_FILES_PER_REQUEST) responses.push(...(await ask(ids.slice(start, start + MAX_FILES_PER_REQUEST))))
  return responses
}

/** Files as they are now, in the order of their ids; those that have been deleted are left out. */
export const loadFiles = (ids: number[]): Promise<MediaFile[]> =>
  askInParts(ids, async (part) => {
    const found = (await request('GET /upload/files', { query: { pageSize: MAX_FILES_PER_REQUEST, filters: { id: { $in: part } } as never } })) as unknown as { results: MediaFile[] }
    const files = new Map(found.results.map((file) => [file.id, file]))
    return part.flatMap((id) => files.get(id) ?? [])
  })

/** A version of an entry that uses a file. */
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

/** What uses a file; `hidden` counts the versions of entries that the role may not see. */
export type MediaFileUsage = { id: number; entries: Usage[]; hidden: number }

/** What uses each of some files. */
export const usageQuery = (ids: number[]) =>
  queryOptions({
    queryKey: [...keys.media, 'usage', ids],
    queryFn: () => askInParts(ids, async (part) => (await request('GET /admin/x/media/usage', { query: { ids: part } })).data as unknown as MediaFileUsage[]),
  })
