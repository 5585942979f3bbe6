import { keys } from '../api/keys'
import { messageOf } from '../components/errors'
import { t } from '../i18n'
import { queries } from '../queries'
import { startJob } from '../shell/jobs'
import { uploadFile } from './uploads'

const AT_ONCE = 3
/** A file that is sent as a whole counts as done when the server has answered that it has it. */
const LARGEST_SENT = 0.99

type FileJob<Item> = {
  title: string
  items: readonly Item[]
  nameOf: (item: Item) => string
  send: (item: Item, signal: AbortSignal, onProgress: (share: number) => void) => Promise<void>
  /** Begin again with what failed, and with what was left when the job was cancelled. */
  again: (items: Item[]) => void
}

/** Bring files into the library as a job, a few at a time; each can be cancelled alone. */
export async function runFileJob<Item>({ title, items, nameOf, send, again }: FileJob<Item>): Promise<void> {
  const left = items.map((item, id) => ({ item, id, share: null as number | null, controller: new AbortController() }))
  type Part = (typeof left)[number]
  const running = new Set<Part>()
  const failed: Item[] = []
  await startJob({
    title,
    total: items.length,
    retry: () => again([...failed, ...left.map(({ item }) => item)]),
    run: async (report, signal) => {
      let total = items.length
      const show = () =>
        report.setParts([...running, ...left].map((part) => ({ id: part.id, title: nameOf(part.item), share: part.share, cancel: () => cancel(part) })))
      const forget = () => {
        total -= 1
        report.setTotal(total)
      }
      const cancel = (part: Part) => {
        if (running.has(part)) return part.controller.abort()
        const place = left.indexOf(part)
        if (place < 0) return
        left.splice(place, 1)
        forget()
        show()
      }
      const stop = () => running.forEach((part) => part.controller.abort())
      signal.addEventListener('abort', stop)
      const work = async () => {
        for (let part = left.shift(); part !== undefined && !signal.aborted; part = left.shift()) {
          const { item, controller } = part
          const advance = (share: number) => {
            report.advance(share - (part?.share ?? 0))
            if (part) part.share = share
            show()
          }
          running.add(part)
          advance(0)
          try {
            await send(item, controller.signal, (sent) => advance(Math.min(sent, LARGEST_SENT)))
            advance(1)
          } catch (error) {
            if (controller.signal.aborted && !signal.aborted) {
              advance(0)
              forget()
            } else {
              failed.push(item)
              if (!signal.aborted) report.fail({ title: nameOf(item), message: messageOf(error) })
              advance(1)
            }
          }
          running.delete(part)
          show()
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
