import type { DraftField, DraftModel, DraftSchema, Properties } from '../draft'
import { useBuilder } from '../store'

/** What a control of the property panel works on. */
export type OptionProps = {
  model: DraftModel
  field: DraftField
  /** What is wrong, by option. */
  problems: Record<string, string>
  locked: boolean
}

/** Change a field of the draft; changes of one option in quick succession are one step of undo. */
export function editField(
  { model, field }: Pick<OptionProps, 'model' | 'field'>,
  recipe: (found: DraftField, owner: DraftModel, schema: DraftSchema) => void,
  key = '',
): void {
  useBuilder.getState().change((schema) => {
    const owner = schema[model.id]
    const found = owner?.fields.find((one) => one.id === field.id)
    if (owner && found) recipe(found, owner, schema)
  }, key && `${field.id} ${key}`)
}

/** Set options of a field; undefined leaves one out of the schema file. */
export function setOptions(props: Pick<OptionProps, 'model' | 'field'>, options: Partial<Properties>): void {
  editField(
    props,
    ({ properties }) => {
      for (const [name, value] of Object.entries(options)) {
        if (value === undefined || value === '') delete properties[name]
        else Object.assign(properties, { [name]: value })
      }
    },
    Object.keys(options).join(' '),
  )
}
