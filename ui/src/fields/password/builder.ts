import { LockKeyhole } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const password: FieldBuilder = {
  icon: LockKeyhole,
  color: 'yellow',
  label: 'type.password',
  use: 'type.password.use',
  initial: { type: 'password' },
  options: ['length', 'regex'],
  example: () => undefined,
  query: () => '',
}
