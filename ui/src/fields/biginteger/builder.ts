import { Hash } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const biginteger: FieldBuilder = {
  icon: Hash,
  color: 'red',
  label: 'type.biginteger',
  use: 'type.biginteger.use',
  family: 'type.family.number',
  initial: { type: 'biginteger' },
  options: ['bigRange', 'default', 'unique'],
  example: () => '9007199254740993',
  query: (name) => `?filters[${name}][$gte]=7`,
}
