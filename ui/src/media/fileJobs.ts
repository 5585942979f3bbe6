import { keys } from '../api/keys'
import { t } from '../i18n'
import { queries } from '../queries'
import { startJob } from '../shell/jobs'
import { uploadFile } from './uploads'

const AT_ONCE = 3

type FileJob<Item> = {
  title: string
  items: readonly Item[]
  nameOf: (item: Item) => string
  send: (item: Item, signal: AbortSignal, onProgress: (share: number) => void) => Promise<void>
  /** Begin again with what failed, and with what was left when the job was cancelled. */
  again: (items: Item[]) => void
}

/** Bring files into the library as a job, a few at a time. */
export async function runFileJob<Item>({ title, items, nameOf, send, again }: FileJob<Item>): Promise<void> {
  const left = [...items]
  const failed: Item[] = []
  await startJob({
    title,
    total: items.length,
    retry: () => again([...failed, ...left]),
    run: async (report, signal) => {
      const work = async () => {
        for (let item = left.shift(); item !== undefined && !signal.aborted; item = left.shift()) {
          let reported = 0
          const advance = (share: number) => {
            report.advance(share - reported)
            reported = share
          }
          try {
            await send(item, signal, advance)
          } catch (error) {
            failed.push(item)
            if (!signal.aborted) report.fail({ title: nameOf(item), message: error instanceof Error ? error.message : String(error) })
          }
          advance(1)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
    },
  })
  await queries.invalidateQueries({ queryKey: keys.media })
}

/** Upload files into a folder, null for the root. */
export const uploadAll = (files: File[], folder: number | null): Promise<void> =>
  runFileJob({
    title: t('media.uploadTitle', { count: files.length }),
    items: files,
    nameOf: (file) => file.name,
    send: async (file, signal, onProgress) => void (await uploadFile(file, folder, signal, onProgress)),
    again: (left) => void uploadAll(left, folder),
  })
