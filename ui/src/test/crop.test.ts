import { describe, expect, it } from 'vitest'
import { areaOf, canCrop, changedSide, percentOf } from '../media/crop'

const SIZE = { width: 600, height: 400 }
const AREA = { left: 100, top: 100, width: 300, height: 200 }

describe('the area of a crop', () => {
  it('is the same in percent and in pixels', () => {
    expect(areaOf(percentOf(AREA, SIZE), SIZE)).toEqual(AREA)
  })

  it('lies within the image, with a pixel at least', () => {
    expect(areaOf({ x: 99.99, y: 50, width: 0.001, height: 60 }, SIZE)).toEqual({ left: 599, top: 160, width: 1, height: 240 })
  })

  it('moves back into the image when a side is typed', () => {
    expect(changedSide(AREA, 'left', 500, SIZE)).toEqual({ ...AREA, left: 300 })
    expect(changedSide(AREA, 'width', 9999, SIZE)).toEqual({ ...AREA, left: 0, width: 600 })
  })

  it('keeps its shape', () => {
    expect(changedSide(AREA, 'width', 150, SIZE, 1.5)).toEqual({ ...AREA, width: 150, height: 100 })
    expect(changedSide(AREA, 'height', 400, SIZE, 2)).toEqual({ left: 0, top: 100, width: 600, height: 300 })
  })
})

it('is offered for images that the server can write', () => {
  expect(['image/jpeg', 'image/webp', 'image/svg+xml', 'image/gif', 'video/mp4'].map(canCrop)).toEqual([true, true, false, false, false])
})
