import { useEffect, useRef, type ClipboardEvent, type DragEvent, type RefObject, type TextareaHTMLAttributes } from 'react'
import { useTranslation } from 'react-i18next'
import { useAbility } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { MediaFile } from '../../api/types'
import { toastRefusal } from '../../components/toast'
import { useUploads } from '../../media/uploads'
import { queries } from '../../queries'

/** A place in the text, which stays where it is while somebody types before it. */
type Mark = { at: number }

/** An image in Markdown; one without an alternative text gets its name, to be written over. */
export const imageText = ({ alternativeText, name, url }: MediaFile): string =>
  `![${(alternativeText || name.replace(/\.\w+$/, '')).replace(/[[\]\n]/g, '')}](${url})`

const showInLibrary = () => void queries.invalidateQueries({ queryKey: keys.media })

/** Images that are dropped or pasted into a text: they are uploaded, and written where they were dropped. */
export function useImages({ area, text, set, locked }: { area: RefObject<HTMLTextAreaElement | null>; text: string; set: (text: string | null) => void; locked: boolean }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const { uploads, start } = useUploads(showInLibrary)
  const marks = useRef(new Set<Mark>())
  // What uploads later is written into the text as it is by then.
  const current = useRef(text)
  useEffect(() => {
    current.current = text
  }, [text])

  const mark = (at: number): Mark => {
    const made = { at }
    marks.current.add(made)
    return made
  }
  const follow = (next: string) => {
    const before = current.current
    let same = 0
    while (same < before.length && same < next.length && before[same] === next[same]) same += 1
    for (const one of marks.current) if (one.at > same) one.at = Math.max(same, one.at + next.length - before.length)
    current.current = next
  }
  const insert = (place: Mark, written: string) => {
    const element = area.current
    const { at } = place
    const before = current.current
    const caret = element && document.activeElement === element ? { start: element.selectionStart, end: element.selectionEnd } : null
    const next = before.slice(0, at) + written + before.slice(at)
    for (const one of marks.current) if (one.at >= at) one.at += written.length
    current.current = next
    set(next)
    const moved = (offset: number) => (offset >= at ? offset + written.length : offset)
    // A text that is set from outside takes the cursor to its end.
    if (element && caret) requestAnimationFrame(() => element.setSelectionRange(moved(caret.start), moved(caret.end)))
  }
  const take = (files: File[], at: number) => {
    if (!ability.can('plugin::upload.assets.create')) return toastRefusal(t('media.noUpload'))
    const images = files.filter((file) => file.type.startsWith('image/'))
    if (images.length < files.length) toastRefusal(t('markdown.imagesOnly'))
    if (images.length === 0) return
    const place = mark(at)
    let count = 0
    start(images, null, (file) => {
      showInLibrary()
      insert(place, (count > 0 ? '\n' : '') + imageText(file))
      count += 1
    })
  }
  const handlers: Pick<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onDragOver' | 'onDrop' | 'onPaste'> = locked
    ? {}
    : {
        onDragOver: (event: DragEvent) => {
          if (event.dataTransfer.types.includes('Files')) event.preventDefault()
        },
        onDrop: (event: DragEvent<HTMLTextAreaElement>) => {
          const files = Array.from(event.dataTransfer.files)
          if (files.length === 0) return
          event.preventDefault()
          take(files, offsetAt(event))
        },
        onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => {
          const files = Array.from(event.clipboardData.files)
          // Word processors put a picture of a text beside the text.
          if (files.length === 0 || event.clipboardData.types.includes('text/plain')) return
          event.preventDefault()
          take(files, event.currentTarget.selectionStart)
        },
      }
  return { uploads, handlers, mark, follow, insert }
}

export type Images = ReturnType<typeof useImages>

/** The character of the text under the pointer; the cursor's where the browser does not tell. */
function offsetAt(event: DragEvent<HTMLTextAreaElement>): number {
  const area = event.currentTarget
  const found = document.caretPositionFromPoint?.(event.clientX, event.clientY)
  return found?.offsetNode === area ? found.offset : area.selectionStart
}
