import type { Attribute } from '../api/types'

/** An attribute as the content-type builder describes it; `targetAttribute` is the other side of a relation. */
export type Properties = Attribute & { targetAttribute?: string | null } & Record<string, unknown>

/**
 * A field keeps its id when its name changes: that is how a rename is told from a removal. While another field has its
 * name, which may be half typed, the rest of the draft knows it by the alias.
 */
export type DraftField = { id: string; name: string; alias?: string; properties: Properties }

export type DraftModel = {
  id: string
  uid: string
  isComponent: boolean
  kind: 'collectionType' | 'singleType'
  category: string
  collectionName?: string
  info: { displayName: string; singularName: string; pluralName: string; description?: string; icon?: string }
  options: Record<string, unknown>
  pluginOptions: Record<string, unknown>
  fields: DraftField[]
  /** The type whose layout a new one begins with. */
  copyOf?: string
}

/** Content types and components by id. */
export type DraftSchema = Record<string, DraftModel>

export type ServerModel = Omit<DraftModel, 'id' | 'isComponent' | 'fields' | 'info' | 'options' | 'pluginOptions'> & {
  modelName: string
  modelType: 'contentType' | 'component'
  info: { displayName: string; singularName?: string; pluralName?: string; description?: string; icon?: string }
  options?: Record<string, unknown>
  pluginOptions?: Record<string, unknown>
  attributes: (Properties & { name: string })[]
  visible?: boolean
}
export type ServerSchema = { contentTypes: Record<string, ServerModel>; components: Record<string, ServerModel> }

// Ids outlive the page in pending changes that the browser keeps.
const PAGE = Math.random().toString(36).slice(2)
let made = 0
export const newId = (): string => `${PAGE}.${(made += 1)}`

/** Take the server's schema; what `known` has by the same name keeps its id. */
export function draftOf(server: ServerSchema, known: DraftSchema = {}): DraftSchema {
  const draft: DraftSchema = {}
  for (const model of [...Object.values(server.contentTypes), ...Object.values(server.components)]) {
    if (model.visible === false) continue
    const before = modelOf(known, model.uid)
    const id = before?.id ?? newId()
    draft[id] = {
      id,
      uid: model.uid,
      isComponent: model.modelType === 'component',
      kind: model.kind ?? 'collectionType',
      category: model.category ?? '',
      collectionName: model.collectionName,
      info: {
        ...model.info,
        singularName: model.modelType === 'component' ? (model.uid.split('.')[1] ?? '') : (model.info.singularName ?? model.modelName),
        pluralName: model.info.pluralName ?? '',
      },
      options: model.options ?? {},
      pluginOptions: model.pluginOptions ?? {},
      fields: model.attributes.map(({ name, ...properties }) => ({
        id: before?.fields.find((field) => field.name === name)?.id ?? newId(),
        name,
        properties: properties as Properties,
      })),
    }
  }
  return draft
}

export const modelOf = (schema: DraftSchema, uid: string | undefined): DraftModel | undefined =>
  uid === undefined ? undefined : Object.values(schema).find((model) => model.uid === uid)

export const fieldNamed = (model: DraftModel | undefined, name: unknown): DraftField | undefined =>
  model?.fields.find((field) => knownName(field) === name)

/** What the rest of the draft names a field by. */
export const knownName = ({ alias, name }: DraftField): string => alias ?? name

/** Whether a model belongs to the project; others are extended at most. */
export const isOwn = (model: DraftModel): boolean => model.isComponent || model.uid.startsWith('api::')

export const isLocalizedModel = (model: DraftModel): boolean =>
  (model.pluginOptions.i18n as { localized?: boolean } | undefined)?.localized === true

export const typeUid = (singularName: string): string => `api::${singularName}.${singularName}`

export const apiPath = (model: DraftModel): string =>
  `/api/${model.kind === 'singleType' ? model.info.singularName : model.info.pluralName}`

export const byName = (a: DraftModel, b: DraftModel): number => a.info.displayName.localeCompare(b.info.displayName)

/** Properties without some options. */
export const without = <T extends Record<string, unknown>>(properties: T, names: string[]): T =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))) as T

/** The schema file of a model, as it is on disk once the draft is applied. */
export function fileOf(model: DraftModel): Record<string, unknown> {
  const { singularName, pluralName, ...shown } = model.info
  return {
    ...(model.isComponent ? {} : { kind: model.kind }),
    ...(model.collectionName ? { collectionName: model.collectionName } : {}),
    info: model.isComponent ? shown : { singularName, pluralName, ...shown },
    options: model.options,
    ...(Object.keys(model.pluginOptions).length > 0 ? { pluginOptions: model.pluginOptions } : {}),
    attributes: Object.fromEntries(
      model.fields.map(({ name, properties }) => [name, without(properties, ['targetAttribute'])]),
    ),
  }
}
