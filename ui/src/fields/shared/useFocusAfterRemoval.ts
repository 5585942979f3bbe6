import { useCallback, useEffect, useRef } from 'react'

/**
 * Move the focus when a button of an item has removed it: to the next item, else to the previous one, else to the field
 * itself. `list` refers to the element around all items. A control that can get the focus has `data-item`, which is what
 * `itemAt` returns for its index.
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
  const onRemove = useCallback((index: number) => {
    removed.current = index
  }, [])
  return { list, onRemove }
}
