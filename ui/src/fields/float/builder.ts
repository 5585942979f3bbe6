import { Hash } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const float: FieldBuilder = {
  icon: Hash,
  color: 'red',
  label: 'type.float',
  use: 'type.float.use',
  family: 'type.family.number',
  initial: { type: 'float' },
  options: ['range', 'defaultNumber', 'unique'],
  example: () => 7.25,
  query: (name) => `?filters[${name}][$gte]=7`,
}
