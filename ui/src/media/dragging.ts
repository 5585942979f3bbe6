import type { DragEvent } from 'react'

/** What is dragged within the library: files and folders, by their ids. */
export type DraggedItems = { fileIds: number[]; folderIds: number[] }

const TYPE = 'application/x-quire-media'

/** Let files and folders be dragged onto a folder. */
export function dragItems(event: DragEvent, items: DraggedItems): void {
  event.dataTransfer.setData(TYPE, JSON.stringify(items))
  event.dataTransfer.effectAllowed = 'move'
}

/** Whether what is dragged is files or folders of the library. */
export const hasItems = (event: DragEvent): boolean => event.dataTransfer.types.includes(TYPE)

/** The files and folders that were dropped. */
export const droppedItems = (event: DragEvent): DraggedItems => JSON.parse(event.dataTransfer.getData(TYPE)) as DraggedItems
