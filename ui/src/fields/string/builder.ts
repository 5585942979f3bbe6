import { Type } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const string: FieldBuilder = {
  icon: Type,
  color: 'green',
  label: 'type.string',
  use: 'type.string.use',
  family: 'type.family.text',
  initial: { type: 'string' },
  options: ['default', 'length', 'regex', 'unique', 'searchable'],
  example: () => 'Low tide',
  query: (name) => `?filters[${name}][$containsi]=tide`,
}
