import { useQuery } from '@tanstack/react-query'
import { configurationQuery, labelOf, useModel, type Model } from '../api/hooks'
import type { Attribute, ContentType, TypeConfiguration, ViewConfiguration } from '../api/types'
import type { FieldName } from '../components/serverMessages'

type Place = { attributes: Record<string, Attribute>; view: ViewConfiguration | undefined }

/** Name fields of a type by the labels on the way to them: `Links › 2 › Text`. */
export function fieldNameOf(type: ContentType | undefined, view: TypeConfiguration | undefined, { components }: Pick<Model, 'components'>): FieldName {
  return (path) => {
    let places: Place[] = [{ attributes: type?.attributes ?? {}, view: view?.contentType }]
    const names = path.map((one) => {
      const step = String(one)
      if (/^\d+$/.test(step)) return String(Number(step) + 1)
      const place = places.find(({ attributes }) => attributes[step])
      const attribute = place?.attributes[step]
      const inner = attribute?.component ? [attribute.component] : (attribute?.components ?? [])
      places = inner.map((uid) => ({ attributes: components.get(uid)?.attributes ?? {}, view: view?.components[uid] }))
      return attribute ? labelOf(place?.view, step) : step
    })
    return names.join(' › ')
  }
}

/** How the fields of a type are called where its view need not be there yet. */
export function useFieldName(uid: string): FieldName {
  const model = useModel()
  const view = useQuery(configurationQuery(uid)).data
  return fieldNameOf(model.types.get(uid), view, model)
}
