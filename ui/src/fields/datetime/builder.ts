import { CalendarClock } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const datetime: FieldBuilder = {
  icon: CalendarClock,
  color: 'yellow',
  label: 'type.datetime',
  use: 'type.datetime.use',
  family: 'type.family.date',
  initial: { type: 'datetime' },
  options: ['default', 'unique'],
  example: () => '2026-11-23T09:30:00.000Z',
  query: (name) => `?filters[${name}][$gte]=2026-01-01`,
  defaultHint: 'YYYY-MM-DDThh:mm:ss.sssZ',
}
