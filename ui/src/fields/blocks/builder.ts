import { Pilcrow } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const blocks: FieldBuilder = {
  icon: Pilcrow,
  color: 'blue',
  label: 'type.blocks',
  use: 'type.blocks.use',
  initial: { type: 'blocks' },
  options: [],
  example: () => [{ type: 'paragraph', children: [{ type: 'text', text: 'Low tide' }] }],
  query: (name) => `?filters[${name}][$notNull]=true`,
}
