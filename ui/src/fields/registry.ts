import type { Attribute } from '../api/types'
import { biginteger } from './biginteger'
import { blocks } from './blocks'
import { boolean } from './boolean'
import { component } from './component'
import { customField } from './custom'
import { date } from './date'
import { datetime } from './datetime'
import { decimal } from './decimal'
import { dynamiczone } from './dynamiczone'
import { email } from './email'
import { enumeration } from './enumeration'
import { float } from './float'
import { integer } from './integer'
import { json } from './json'
import { media } from './media'
import { password } from './password'
import { relation } from './relation'
import { richtext } from './richtext'
import { string } from './string'
import { text } from './text'
import { time } from './time'
import { timestamp } from './timestamp'
import type { FieldType } from './types'
import { uid } from './uid'

/** All attribute types. Nothing else tells types apart by their name. */
const TYPES: Record<string, FieldType> = {
  biginteger, blocks, boolean, component, date, datetime, decimal, dynamiczone, email, enumeration, float, integer, json, media,
  password, relation, richtext, string, text, time, timestamp, uid,
}

/** What the UI knows of an attribute's type; one that it does not know is shown as JSON. */
export function fieldTypeOf(attribute: Attribute): FieldType {
  const type = TYPES[attribute.type] ?? json
  return attribute.custom?.element ? customField(type) : type
}
