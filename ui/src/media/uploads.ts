import { useCallback, useState } from 'react'
import { upload } from '../api/client'
import type { MediaFile } from '../api/types'
import { messageOf } from '../components/errors'

export type Upload = {
  id: number
  name: string
  share: number
  error?: string
  cancel: () => void
  retry: () => void
}

const AT_ONCE = 3
let lastId = 0

/** Upload one file into a folder, null for the root. */
export async function uploadFile(file: File, folder: number | null, signal: AbortSignal, onProgress: (share: number) => void = () => {}): Promise<MediaFile[]> {
  const form = new FormData()
  form.append('files', file)
  form.append('fileInfo', JSON.stringify({ name: file.name, folder }))
  return (await upload('/upload', form, onProgress, signal)) as MediaFile[]
}

/** Uploads under way, each with its progress; `onDone` is told of every file that has arrived, unless `start` names another function. */
export function useUploads(onDone: (file: MediaFile) => void) {
  const [uploads, setUploads] = useState<Upload[]>([])
  const start = useCallback(
    (files: File[], folder: number | null, done: (file: MediaFile) => void = onDone) => {
      const queue = files.map((file) => ({ file, id: ++lastId }))
      const change = (id: number, values: Partial<Upload>) =>
        setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...values } : one)))
      const drop = (id: number) => setUploads((all) => all.filter((one) => one.id !== id))
      const send = async ({ file, id }: { file: File; id: number }): Promise<void> => {
        const controller = new AbortController()
        change(id, { share: 0, error: undefined, cancel: () => controller.abort() })
        try {
          const made = await uploadFile(file, folder, controller.signal, (share) => change(id, { share }))
          drop(id)
          made.forEach(done)
        } catch (error) {
          if (error instanceof DOMException && error.name === 'AbortError') drop(id)
          else change(id, { error: messageOf(error), cancel: () => drop(id), retry: () => void send({ file, id }) })
        }
      }
      setUploads((all) => [
        ...all,
        ...queue.map(({ file, id }) => ({ id, name: file.name, share: 0, cancel: () => drop(id), retry: () => {} })),
      ])
      const work = async () => {
        for (let next = queue.shift(); next; next = queue.shift()) await send(next)
      }
      for (let index = 0; index < Math.min(AT_ONCE, files.length); index += 1) void work()
    },
    [onDone],
  )
  return { uploads, start }
}
