import { LayoutList } from 'lucide-react'
import { t } from '../../i18n'
import type { FieldBuilder } from '../builder'

export const dynamiczone: FieldBuilder = {
  icon: LayoutList,
  color: 'gray',
  label: 'type.dynamiczone',
  use: 'type.dynamiczone.use',
  initial: { type: 'dynamiczone', components: [] },
  options: ['components', 'amount'],
  example: (properties) => (properties.components ?? []).slice(0, 1).map((uid) => ({ __component: uid, id: 1 })),
  query: (name) => `?populate=${name}`,
  about: (properties) => t('type.dynamiczone.count', { count: properties.components?.length ?? 0 }),
  notInComponents: true,
}
