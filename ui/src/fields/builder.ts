import type { LucideIcon } from 'lucide-react'
import type { ParseKeys } from 'i18next'
import type { DraftSchema, Properties } from '../model/draft'
import { biginteger } from './biginteger/builder'
import { blocks } from './blocks/builder'
import { boolean } from './boolean/builder'
import { component } from './component/builder'
import { date } from './date/builder'
import { datetime } from './datetime/builder'
import { decimal } from './decimal/builder'
import { dynamiczone } from './dynamiczone/builder'
import { email } from './email/builder'
import { enumeration } from './enumeration/builder'
import { float } from './float/builder'
import { integer } from './integer/builder'
import { json } from './json/builder'
import { media } from './media/builder'
import { password } from './password/builder'
import { relation } from './relation/builder'
import { richtext } from './richtext/builder'
import { string } from './string/builder'
import { text } from './text/builder'
import { time } from './time/builder'
import { timestamp } from './timestamp/builder'
import { uid } from './uid/builder'

/** A control of the property panel (`model/panel/options.tsx`), which edits one option or two that belong together. */
export type OptionName =
  | 'amount' | 'bigRange' | 'component' | 'components' | 'default' | 'defaultBoolean' | 'defaultEnum' | 'defaultNumber' | 'enum' | 'length'
  | 'media' | 'range' | 'regex' | 'relation' | 'searchable' | 'targetField' | 'unique'

/** What the model builder knows of one attribute type. */
export type FieldBuilder = {
  icon: LucideIcon
  color: string
  label: ParseKeys
  /** What the type is for, in one line. */
  use: ParseKeys
  /** Types of one family can be exchanged for each other; the key names the choice. */
  family?: ParseKeys
  initial: Properties
  options: OptionName[]
  /** Whether numbers have no fraction. */
  whole?: boolean
  /** The form of a default value, as a text says it. */
  defaultHint?: string
  /** A value as the API shows it. */
  example: (properties: Properties) => unknown
  /** A query that this type is for. */
  query: (name: string) => string
  /** What follows the label in lists of fields. */
  about?: (properties: Properties, schema: DraftSchema) => string
  /** Whether each locale always has its own value, so that there is nothing to choose. */
  perLocale?: boolean
  notInComponents?: boolean
}

export const BUILDERS: Record<string, FieldBuilder> = {
  string, text, richtext, blocks, integer, biginteger, decimal, float, boolean, date, datetime, time, timestamp, email, password,
  enumeration, uid, media, relation, json, component, dynamiczone,
}

/** What the builder knows of an attribute's type; one that it does not know is shown as JSON. */
export const builderOf = (properties: Properties): FieldBuilder => BUILDERS[properties.type] ?? json

/** The types among which a field of a type may be changed without being made anew. */
export const familyOf = (type: string): [string, FieldBuilder][] => {
  const family = BUILDERS[type]?.family
  return family ? Object.entries(BUILDERS).filter(([, builder]) => builder.family === family) : []
}
