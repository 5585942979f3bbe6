import type { PercentCrop } from 'react-image-crop'

export const SIDES = ['left', 'top', 'width', 'height'] as const
/** A rectangle of an image, in whole pixels of the image as it is shown. */
export type Area = Record<(typeof SIDES)[number], number>
export type Size = { width: number; height: number }

const CROPPED = /^image\/(jpeg|png|webp|avif)$/

/** Whether the server can crop files of a type, as long as they do not move. */
export const canCrop = (mime: string): boolean => CROPPED.test(mime)

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(Math.round(value), least), Math.max(most, least))

/** An area in whole pixels that lies within the image. */
function within({ left, top, width, height }: Area, size: Size): Area {
  const inner = { width: clamp(width, 1, size.width), height: clamp(height, 1, size.height) }
  return { left: clamp(left, 0, size.width - inner.width), top: clamp(top, 0, size.height - inner.height), ...inner }
}

/** The pixels of an area in percent of width and height. */
export const areaOf = (crop: Omit<PercentCrop, 'unit'>, size: Size): Area =>
  within(
    {
      left: (crop.x * size.width) / 100,
      top: (crop.y * size.height) / 100,
      width: (crop.width * size.width) / 100,
      height: (crop.height * size.height) / 100,
    },
    size,
  )

/** An area in percent of width and height. */
export const percentOf = (area: Area, size: Size): PercentCrop => ({
  unit: '%',
  x: (100 * area.left) / size.width,
  y: (100 * area.top) / size.height,
  width: (100 * area.width) / size.width,
  height: (100 * area.height) / size.height,
})

/** An area with another side; the shape stays as `ratio`, width by height, says. */
export function changedSide(area: Area, side: keyof Area, value: number, size: Size, ratio?: number): Area {
  const next = { ...area, [side]: value }
  if (ratio && side === 'width') next.height = value / ratio
  if (ratio && side === 'height') next.width = value * ratio
  if (ratio && (next.width > size.width || next.height > size.height)) {
    next.width = Math.min(size.width, size.height * ratio)
    next.height = next.width / ratio
  }
  return within(next, size)
}
