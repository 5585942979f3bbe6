import type { Modifier } from '@dnd-kit/core'

/** Keep what is dragged in its column. */
export const restrict: Modifier = ({ transform }) => ({ ...transform, x: 0 })
