import { Timer } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const timestamp: FieldBuilder = {
  icon: Timer,
  color: 'yellow',
  label: 'type.timestamp',
  use: 'type.timestamp.use',
  family: 'type.family.date',
  initial: { type: 'timestamp' },
  options: ['default', 'unique'],
  example: () => '1795426200000',
  query: (name) => `?filters[${name}][$notNull]=true`,
}
