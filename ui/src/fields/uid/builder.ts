import { KeyRound } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const uid: FieldBuilder = {
  icon: KeyRound,
  color: 'blue',
  label: 'type.uid',
  use: 'type.uid.use',
  initial: { type: 'uid' },
  options: ['targetField', 'default', 'length', 'regex', 'searchable'],
  example: () => 'low-tide',
  query: (name) => `?filters[${name}][$eq]=low-tide`,
  perLocale: true,
  notInComponents: true,
}
