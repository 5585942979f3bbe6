import { ToggleLeft } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const boolean: FieldBuilder = {
  icon: ToggleLeft,
  color: 'teal',
  label: 'type.boolean',
  use: 'type.boolean.use',
  initial: { type: 'boolean' },
  options: ['defaultBoolean'],
  example: () => true,
  query: (name) => `?filters[${name}][$eq]=true`,
}
