import { Heading } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const richtext: FieldBuilder = {
  icon: Heading,
  color: 'blue',
  label: 'type.richtext',
  use: 'type.richtext.use',
  family: 'type.family.text',
  initial: { type: 'richtext' },
  options: ['default', 'length', 'searchable'],
  example: () => '## Low tide',
  query: (name) => `?filters[${name}][$contains]=tide`,
}
