import { Clock } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const time: FieldBuilder = {
  icon: Clock,
  color: 'yellow',
  label: 'type.time',
  use: 'type.time.use',
  family: 'type.family.date',
  initial: { type: 'time' },
  options: ['default', 'unique'],
  example: () => '09:30:00.000',
  query: (name) => `?filters[${name}][$gte]=09:00:00.000`,
  defaultHint: 'hh:mm:ss.sss',
}
