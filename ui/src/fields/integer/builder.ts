import { Hash } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const integer: FieldBuilder = {
  icon: Hash,
  color: 'red',
  label: 'type.integer',
  use: 'type.integer.use',
  family: 'type.family.number',
  whole: true,
  initial: { type: 'integer' },
  options: ['range', 'defaultNumber', 'unique'],
  example: () => 7,
  query: (name) => `?filters[${name}][$gte]=7`,
}
