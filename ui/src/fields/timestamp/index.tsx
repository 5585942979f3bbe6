import { datetime } from '../datetime'
import type { FieldType } from '../types'

/** The same moment under another name of the schema. */
export const timestamp: FieldType = { ...datetime }
