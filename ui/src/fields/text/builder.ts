import { AlignLeft } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const text: FieldBuilder = {
  icon: AlignLeft,
  color: 'green',
  label: 'type.text',
  use: 'type.text.use',
  family: 'type.family.text',
  initial: { type: 'text' },
  options: ['default', 'length', 'regex', 'unique', 'searchable'],
  example: () => 'Several lines of text',
  query: (name) => `?filters[${name}][$containsi]=tide`,
}
