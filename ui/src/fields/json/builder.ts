import { Braces } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const json: FieldBuilder = {
  icon: Braces,
  color: 'cyan',
  label: 'type.json',
  use: 'type.json.use',
  initial: { type: 'json' },
  options: [],
  example: () => ({ depth: 4 }),
  query: (name) => `?filters[${name}][$notNull]=true`,
}
