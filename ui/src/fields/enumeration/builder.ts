import { List } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const enumeration: FieldBuilder = {
  icon: List,
  color: 'violet',
  label: 'type.enumeration',
  use: 'type.enumeration.use',
  initial: { type: 'enumeration', enum: [] },
  options: ['enum', 'defaultEnum', 'searchable'],
  example: (properties) => properties.enum?.[0] ?? 'value',
  query: (name) => `?filters[${name}][$in][0]=value`,
}
