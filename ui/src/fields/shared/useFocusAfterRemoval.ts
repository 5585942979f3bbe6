import { useCallback, useEffect, useRef } from 'react'

/**
 * Move the focus when a button of an item has removed it: to the next item, else to the previous one, else to the field
 * itself. `list` refers to the element around all items. A control that can get the focus has `data-item`, which is what
 * `itemAt` returns for its index.
 */
export function useFocusAfterRemoval(count: number, itemAt: (index: number) => string) {
  const list = useRef<HTMLDivElement>(null)
  const removed = useRef<{ at: number; of: number } | null>(null)
  useEffect(() => {
    const last = removed.current
    removed.current = null
    // A removal that was refused leaves as many items; those that come later are added.
    if (last === null || count >= last.of || !list.current) return
    const { at } = last
    const find = (index: number) => list.current?.querySelector<HTMLElement>(`[data-item="${itemAt(index)}"]`)
    const next = find(at) ?? find(at - 1) ?? list.current.closest<HTMLElement>('[data-path]')
    next?.focus()
  }, [count, itemAt])
  const onRemove = useCallback((at: number) => {
    removed.current = { at, of: count }
  }, [count])
  return { list, onRemove }
}
