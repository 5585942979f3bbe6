import type { ComponentType } from 'react'
import type { Model } from '../api/hooks'
import type { Attribute, Entry, Metadata } from '../api/types'
import type { Path, Values } from '../content/editor/store'

export type InputProps = {
  path: Path
  attribute: Attribute
  label: string
  /** What the view says of the attribute: hint, placeholder, the title field of a relation. */
  meta?: Metadata['edit']
  /** Why the value cannot be changed; undefined where it can. */
  locked?: string
  required: boolean
}

export type CellProps = { value: unknown; attribute: Attribute; mainField?: string }

export type FilterProps = {
  attribute: Attribute
  op: string
  value: string | string[] | undefined
  onChange: (value: string | string[] | undefined) => void
  label: string
}

export type DiffProps = { before: unknown; after: unknown; attribute: Attribute }

/** Everything that the UI knows of one attribute type. */
export type FieldType = {
  Input: ComponentType<InputProps>
  Cell: ComponentType<CellProps>
  Diff: ComponentType<DiffProps>
  /** Whether the input needs nothing of the entry around it, so that it fits into a cell or a dialog. */
  standsAlone?: true
  /** Absent for types that no filter compares. */
  filter?: { operators: readonly string[]; Value: ComponentType<FilterProps> }
  /** The value in an entry that is new. */
  initial?: (attribute: Attribute, model: Model) => unknown
  /** The value as the server takes it; undefined leaves it as it is. */
  serialize?: (value: unknown, attribute: Attribute, model: Model) => unknown
  /** How a value from before a save is put back after it; as it is where this is absent. Null: not without loss. */
  replay?: (value: unknown, attribute: Attribute, context: ReplayContext) => { value: unknown } | null
  /** The value for a text that somebody has searched for; absent for types that are no text. */
  fromText?: (text: string) => unknown
  /** The value of another version, with all that belongs to it, for a form; as it is where this is absent. */
  copy?: (value: unknown, source: CopySource) => Promise<unknown>
  /** The value of a revision, which has references alone, for a form; as it is where this is absent. */
  recorded?: (value: unknown, attribute: Attribute, source: RecordedSource) => Promise<unknown>
  /** A short text for lists of parts. */
  summary?: (value: unknown) => string
}

/** Where a value is copied from: an attribute of an entry or a part, in one version. */
export type CopySource = { uid: string; id: string | number; field: string; locale?: string; status: string }

/** The locale of a revision, and a count of what it led to that is gone, to add to. */
export type RecordedSource = { locale: string | undefined; missing: { count: number } }

export type ReplayContext = {
  model: Model
  /** What is saved now in the same place. */
  current: unknown
  /** All parts that are saved now, by their keys. */
  parts: Map<string, Values>
}

export type RelatedItem = { id: number; documentId: string; locale?: string | null; status?: Entry['status'] } & Record<
  string,
  unknown
>
