import { Hash } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const decimal: FieldBuilder = {
  icon: Hash,
  color: 'red',
  label: 'type.decimal',
  use: 'type.decimal.use',
  family: 'type.family.number',
  initial: { type: 'decimal' },
  options: ['range', 'defaultNumber', 'unique'],
  example: () => 7.5,
  query: (name) => `?filters[${name}][$gte]=7`,
}
