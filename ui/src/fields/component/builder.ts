import { Layers } from 'lucide-react'
import { modelOf } from '../../model/draft'
import type { FieldBuilder } from '../builder'

export const component: FieldBuilder = {
  icon: Layers,
  color: 'gray',
  label: 'type.component',
  use: 'type.component.use',
  initial: { type: 'component', component: '', repeatable: false },
  options: ['component', 'amount'],
  example: (properties) => (properties.repeatable ? [{ id: 1 }] : { id: 1 }),
  query: (name) => `?populate=${name}`,
  about: (properties, schema) => `· ${modelOf(schema, properties.component)?.info.displayName ?? properties.component ?? ''}`,
}
