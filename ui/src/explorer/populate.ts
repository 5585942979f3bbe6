import { labelOf } from '../api/hooks'
import type { Attribute, ContentType } from '../api/types'

export const isPopulated = (attribute: Attribute) => Boolean(attribute.target ?? attribute.component ?? attribute.components) || attribute.type === 'media'

/** What may come with an entry: its relations, media and components, and those of what it leads to. */
export function populateChoices(type: ContentType, types: ReadonlyMap<string, ContentType>, view: Parameters<typeof labelOf>[0]) {
  return Object.entries(type.attributes)
    .filter(([name, attribute]) => isPopulated(attribute) && attribute.visible !== false && attribute.private !== true && name !== 'localizations')
    .flatMap(([name, attribute]) => {
      const label = labelOf(view, name)
      const inner = Object.entries((attribute.target && types.get(attribute.target)?.attributes) || {})
      return [
        { value: name, label },
        ...inner
          .filter(([step, one]) => isPopulated(one) && one.visible !== false && one.private !== true && step !== 'localizations')
          .map(([step]) => ({ value: `${name}.${step}`, label: `${label}: ${labelOf(undefined, step)}` })),
      ]
    })
}
