import { ActionIcon } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import {
  closestCenter, DndContext, KeyboardSensor, PointerSensor, useSensor, useSensors, type CollisionDetection, type DragEndEvent,
} from '@dnd-kit/core'
import { restrict } from './restrict'
import {
  arrayMove, SortableContext, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy, rectSortingStrategy,
} from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { GripVertical } from 'lucide-react'
import { createContext, useContext, useMemo, type ComponentProps, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

type Handle = { label: string } & Omit<ComponentProps<'button'>, 'color' | 'style'>
const HandleContext = createContext<{ attributes: object; listeners: object | undefined; setRef: (node: HTMLElement | null) => void } | null>(null)

/**
 * The item nearest to the pointer. Centres would not do: that of a tall item that is open stays below those of short
 * ones, wherever its handle is dragged to. Keys have no pointer.
 */
const nearestToPointer: CollisionDetection = (args) => {
  const { pointerCoordinates: pointer, droppableContainers, droppableRects } = args
  if (!pointer) return closestCenter(args)
  return droppableContainers
    .flatMap((container) => {
      const rect = droppableRects.get(container.id)
      if (!rect) return []
      const across = Math.max(rect.left - pointer.x, 0, pointer.x - rect.right)
      const along = Math.max(rect.top - pointer.y, 0, pointer.y - rect.bottom)
      return [{ id: container.id, data: { droppableContainer: container, value: Math.hypot(across, along) } }]
    })
    .sort((one, other) => one.data.value - other.data.value)
}

type ListProps = {
  ids: string[]
  onMove: (from: number, to: number) => void
  grid?: boolean
  /** The handles open menus: then Enter lifts no item. */
  hasMenus?: boolean
  children: ReactNode
}

const LIFTED_BY_SPACE = { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter', 'Tab'] }

/** A list whose items are ordered by dragging, or with Space and the arrow keys on their handle. */
export function SortableList({ ids, onMove, grid, hasMenus, children }: ListProps) {
  const { t } = useTranslation()
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates, ...(hasMenus ? { keyboardCodes: LIFTED_BY_SPACE } : {}) }),
  )
  const place = (id: unknown) => ids.indexOf(String(id)) + 1
  const announcements = {
      onDragStart: ({ active }: { active: { id: unknown } }) => t('order.lifted', { at: place(active.id), of: ids.length }),
      onDragOver: ({ over }: { over: { id: unknown } | null }) => (over ? t('order.over', { at: place(over.id), of: ids.length }) : undefined),
      onDragEnd: ({ over }: { over: { id: unknown } | null }) => (over ? t('order.dropped', { at: place(over.id) }) : t('order.cancelled')),
      onDragCancel: () => t('order.cancelled'),
  }
  const end = ({ active, over }: DragEndEvent) => {
    if (!over || active.id === over.id) return
    onMove(ids.indexOf(String(active.id)), ids.indexOf(String(over.id)))
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={nearestToPointer}
      modifiers={grid ? undefined : [restrict]}
      onDragEnd={end}
      accessibility={{ announcements, screenReaderInstructions: { draggable: t('order.instructions') } }}
    >
      <SortableContext items={ids} strategy={grid ? rectSortingStrategy : verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  )
}

export function SortableItem({ id, children }: { id: string; children: ReactNode }) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({ id })
  const handle = useMemo(
    () => ({ attributes, listeners, setRef: setActivatorNodeRef }),
    [attributes, listeners, setActivatorNodeRef],
  )
  return (
    <HandleContext.Provider value={handle}>
      <div
        ref={setNodeRef}
        style={{ transform: CSS.Translate.toString(transform), transition, opacity: isDragging ? 0.6 : 1, position: 'relative', zIndex: isDragging ? 10 : undefined }}
      >
        {children}
      </div>
    </HandleContext.Provider>
  )
}

export function DragHandle({ label, ref, ...props }: Handle) {
  const handle = useContext(HandleContext)
  return (
    <ActionIcon ref={useMergedRef(handle?.setRef, ref)} size="sm" aria-label={label} style={{ cursor: 'grab', touchAction: 'none' }} {...handle?.attributes} {...handle?.listeners} {...props}>
      <GripVertical size={14} />
    </ActionIcon>
  )
}

export { arrayMove as moveItem }
