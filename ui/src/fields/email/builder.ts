import { AtSign } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const email: FieldBuilder = {
  icon: AtSign,
  color: 'red',
  label: 'type.email',
  use: 'type.email.use',
  initial: { type: 'email' },
  options: ['default', 'length', 'unique', 'searchable'],
  example: () => 'ada@example.org',
  query: (name) => `?filters[${name}][$eqi]=ada@example.org`,
}
