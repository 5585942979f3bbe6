import type { AdminPagination, ComputedError, FailedReadRule, MediaFile as DescribedFile } from './generated'

/** What a content type says of one attribute. */
export type Attribute = {
  type: string
  customField?: string
  required?: boolean
  unique?: boolean
  private?: boolean
  configurable?: boolean
  writable?: boolean
  visible?: boolean
  default?: unknown
  min?: number | string
  max?: number | string
  minLength?: number
  maxLength?: number
  regex?: string
  enum?: string[]
  multiple?: boolean
  allowedTypes?: string[] | null
  component?: string
  repeatable?: boolean
  components?: string[]
  relation?: string
  target?: string
  targetField?: string
  conditions?: { visible?: unknown }
  pluginOptions?: { i18n?: { localized?: boolean }; quire?: { type: string } & Record<string, unknown> }
  /** The type of the project's code that the attribute has; added to what the server says of the attribute. */
  custom?: CustomAttributeType
}

/** An attribute type of the project's code: what it is stored as, its input, and its options. */
export type CustomAttributeType = {
  name: string
  stores: string
  element?: string
  module?: string
  cell?: string
  options: Record<string, { type?: string; enum?: unknown[]; default?: unknown }>
}

/** A filter operator of the project's code: the attribute types that it compares, and what it compares them with. */
export type CustomOperator = {
  name: string
  on: string[]
  /** The values of its operand; one without a name is the operand itself. */
  fields: { name: string; type: 'string' | 'integer' | 'number' | 'boolean'; list: boolean; required: boolean }[]
}

export type ContentType = {
  uid: string
  apiID: string
  kind: 'collectionType' | 'singleType'
  isDisplayed: boolean
  info: { displayName: string; singularName: string; pluralName: string; description?: string }
  options: { draftAndPublish?: boolean }
  pluginOptions?: { i18n?: { localized?: boolean } }
  attributes: Record<string, Attribute>
}

export type Component = {
  uid: string
  category: string
  info: { displayName: string; icon?: string; description?: string }
  attributes: Record<string, Attribute>
}

export type Metadata = {
  edit: {
    label?: string
    description?: string
    placeholder?: string
    visible?: boolean
    editable?: boolean
    mainField?: string
  }
  list: { label?: string; searchable?: boolean; sortable?: boolean; mainField?: string }
}

export type ViewConfiguration = {
  uid: string
  settings: {
    bulkable: boolean
    filterable: boolean
    searchable: boolean
    pageSize: number
    mainField: string
    defaultSortBy: string
    defaultSortOrder: 'ASC' | 'DESC'
  }
  metadatas: Record<string, Metadata>
  layouts: { list: string[]; edit: { name: string; size: number }[][] }
}

export type TypeConfiguration = {
  contentType: ViewConfiguration
  components: Record<string, ViewConfiguration>
}

export type Status = 'draft' | 'published' | 'modified'

export type Localization = {
  id: number
  documentId: string
  locale: string
  publishedAt: string | null
  updatedAt: string
  status?: Status
}

export type Creator = { id: number; firstname?: string | null; lastname?: string | null; email?: string }

/** An entry as the content manager shows it. */
export type Entry = Record<string, unknown> & {
  id: number
  documentId: string
  status?: Status
  locale?: string | null
  createdAt?: string
  updatedAt?: string
  publishedAt?: string | null
  createdBy?: Creator | null
  updatedBy?: Creator | null
  localizations?: Localization[]
}

export type EntryPage = { results: Entry[]; pagination: AdminPagination; computedErrors?: Record<string, ComputedError>; failedRules?: FailedReadRule[] }

export type MediaFile = DescribedFile & {
  ext?: string
  folder?: unknown
  folderPath?: string
  createdAt?: string
  updatedAt?: string
}

export type Folder = { id: number; name: string; children?: Folder[]; files?: { count: number } }

export type Locale = { id: number; code: string; name: string; isDefault: boolean }
