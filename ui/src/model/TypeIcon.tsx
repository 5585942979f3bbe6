import { Center } from '@mantine/core'
import { builderOf } from '../fields/builder'
import type { Properties } from './draft'

/** The sign of an attribute type, in the colour of its family. */
export function TypeIcon({ properties }: { properties: Properties }) {
  const { icon: Icon, color } = builderOf(properties)
  return (
    <Center
      w={24}
      h={24}
      aria-hidden
      style={{ borderRadius: 5, flexShrink: 0, background: `var(--mantine-color-${color}-light)`, color: `var(--mantine-color-${color}-light-color)` }}
    >
      <Icon size={14} />
    </Center>
  )
}
