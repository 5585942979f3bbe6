import { Link2 } from 'lucide-react'
import { modelOf } from '../../model/draft'
import { kindOf, leadsToMany } from '../../model/relations'
import type { FieldBuilder } from '../builder'

export const relation: FieldBuilder = {
  icon: Link2,
  color: 'blue',
  label: 'type.relation',
  use: 'type.relation.use',
  initial: { type: 'relation', relation: 'manyToOne', target: '', targetAttribute: null },
  options: ['relation'],
  example: (properties) => (leadsToMany(kindOf(properties) ?? 'manyWay').here ? [{ id: 1, documentId: '…' }] : { id: 1, documentId: '…' }),
  query: (name) => `?populate=${name}`,
  about: (properties, schema) => (properties.target ? `→ ${modelOf(schema, properties.target)?.info.displayName ?? properties.target}` : '→ *'),
  perLocale: true,
}
