import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { i18next, t } from '../i18n'
import { request } from './client'
import { keys } from './keys'
import { permissionsOf, type Ability, type Permission } from './permissions'
import type { Attribute, Component, ContentType, CustomAttributeType, CustomOperator, Locale, TypeConfiguration, ViewConfiguration } from './types'
import { useViewAs } from './viewAs'

export type Model = {
  types: Map<string, ContentType>
  components: Map<string, Component>
  /** Content types that have screens, by display name. */
  displayed: ContentType[]
  /** Filter operators of the project's code. */
  operators: CustomOperator[]
  /** Attribute types of the project's code. */
  attributeTypes: CustomAttributeType[]
}

const ONE_MINUTE = 60_000

export const modelQuery = queryOptions({
  queryKey: keys.model,
  staleTime: ONE_MINUTE,
  queryFn: async (): Promise<Model> => {
    const { data } = await request('GET /content-manager/init')
    const types = data.contentTypes as ContentType[]
    const components = data.components as Component[]
    const attributeTypes = (data.attributeTypes ?? []) as CustomAttributeType[]
    for (const { attributes } of [...types, ...components]) withCustomTypes(attributes, attributeTypes)
    return {
      types: new Map(types.map((type) => [type.uid, type])),
      components: new Map(components.map((component) => [component.uid, component])),
      displayed: types
        .filter((type) => type.isDisplayed)
        .sort((a, b) => a.info.displayName.localeCompare(b.info.displayName)),
      operators: (data.operators ?? []) as CustomOperator[],
      attributeTypes,
    }
  },
})

/** Let attributes know the types of the project's code that they have. */
function withCustomTypes(attributes: Record<string, Attribute>, types: CustomAttributeType[]) {
  for (const attribute of Object.values(attributes)) {
    const name = attribute.pluginOptions?.quire?.type
    if (name) attribute.custom = types.find((type) => type.name === name)
  }
}

export const permissionsQuery = queryOptions({
  queryKey: keys.permissions,
  staleTime: ONE_MINUTE,
  queryFn: async () => (await request('GET /admin/users/me/permissions')).data as Permission[],
})

export const meQuery = queryOptions({
  queryKey: keys.me,
  staleTime: ONE_MINUTE,
  queryFn: async () => (await request('GET /admin/users/me')).data,
})

export const localesQuery = queryOptions({
  queryKey: keys.locales,
  staleTime: ONE_MINUTE,
  queryFn: async () => (await request('GET /i18n/locales')) as unknown as Locale[],
})

export const configurationQuery = (uid: string) =>
  queryOptions({
    queryKey: keys.configuration(uid),
    staleTime: ONE_MINUTE,
    queryFn: async () => {
      const { data } = await request('GET /content-manager/content-types/{uid}/configuration', {
        path: { uid },
      })
      return data as unknown as TypeConfiguration
    },
  })

export const useModel = (): Model => useSuspenseQuery(modelQuery).data
export const useMe = () => useSuspenseQuery(meQuery).data
export const useLocales = (): Locale[] => useSuspenseQuery(localesQuery).data
export const useConfiguration = (uid: string): TypeConfiguration =>
  useSuspenseQuery(configurationQuery(uid)).data

/** What the administrator may do, or the role as which they view the UI. */
export function useAbility(): Ability {
  const { data } = useSuspenseQuery(permissionsQuery)
  const permissions = useViewAs((state) => state.role?.permissions) ?? data
  return useMemo(() => permissionsOf(permissions), [permissions])
}

export function useHome() {
  return useQuery({
    queryKey: keys.home,
    queryFn: async () => (await request('GET /admin/x/home')).data,
  })
}

export const SUPER_ADMIN = 'strapi-super-admin'

/** Whether the UI is that of the role that may do everything; some endpoints are for it alone. */
export function useIsSuperAdmin(): boolean {
  const me = useMe()
  const viewed = useViewAs((state) => state.role)
  return viewed ? viewed.isSuper : (me.roles?.some((role) => role.code === SUPER_ADMIN) ?? false)
}

/** Whether entries of a type have a version for each locale. */
export function isLocalized(type: ContentType): boolean {
  return type.pluginOptions?.i18n?.localized === true
}

export function hasDrafts(type: ContentType): boolean {
  return type.options.draftAndPublish === true
}

/** The name of an attribute for people: the label of the view, made readable where nobody set one. */
export function labelOf(view: ViewConfiguration | undefined, name: string, place: 'edit' | 'list' = 'edit'): string {
  const set = view?.metadatas[name]?.[place].label
  if (set && set !== name) return set
  const key = `attribute.${name}`
  if (i18next.exists(key)) return t(key as 'attribute.id')
  const words = name.replace(/[_-]+/g, ' ').replace(/([a-z0-9])([A-Z])/g, '$1 $2').trim()
  const text = words.toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
