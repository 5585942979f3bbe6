import { useCallback, useEffect, useRef } from 'react'

/**
 * The focus of a field whose items are removed by their buttons: it goes on to the next item, or to the one before.
 * Where none is left, the field has it, whose next control adds one. `list` is around all items, `data-item` of a
 * control that takes the focus is what `itemAt` gives for its place.
 */
export function useFocusAfterRemoval(count: number, itemAt: (index: number) => string) {
  const list = useRef<HTMLDivElement>(null)
  const removed = useRef<number | null>(null)
  useEffect(() => {
    const at = removed.current
    removed.current = null
    if (at === null || !list.current) return
    const find = (index: number) => list.current?.querySelector<HTMLElement>(`[data-item="${itemAt(index)}"]`)
    const next = find(at) ?? find(at - 1) ?? list.current.closest<HTMLElement>('[data-path]')
    next?.focus()
  }, [count, itemAt])
  const removing = useCallback((index: number) => {
    removed.current = index
  }, [])
  return { list, removing }
}
