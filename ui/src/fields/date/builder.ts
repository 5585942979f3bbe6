import { Calendar } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const date: FieldBuilder = {
  icon: Calendar,
  color: 'yellow',
  label: 'type.date',
  use: 'type.date.use',
  family: 'type.family.date',
  initial: { type: 'date' },
  options: ['default', 'unique'],
  example: () => '2026-11-23',
  query: (name) => `?filters[${name}][$gte]=2026-01-01`,
  defaultHint: 'YYYY-MM-DD',
}
