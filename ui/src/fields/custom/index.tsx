import type { Attribute } from '../../api/types'
import { isEmpty, Nothing } from '../shared/cells'
import type { CellProps, FieldType, InputProps } from '../types'
import { CustomElement } from './CustomElement'

/** An attribute type of the project's code: a built-in one with an input and a cell of its own. */
export function customField(stored: FieldType): FieldType {
  // The components stay the same, so that forms do not lose their state.
  return { ...stored, Input: CustomInput, Cell: CustomCell, standsAlone: undefined, serialize: undefined, fromText: undefined }
}

function CustomInput(props: InputProps) {
  const { custom } = props.attribute
  return custom?.element && custom.module ? <CustomElement {...props} element={custom.element} module={custom.module} /> : null
}

function CustomCell({ value, attribute }: CellProps) {
  if (isEmpty(value)) return <Nothing />
  return <span>{cellText(value, attribute)}</span>
}

/** The text of a cell: `{value} {options.currency}` with what the names stand for. */
export function cellText(value: unknown, attribute: Attribute): string {
  const options = optionsOf(attribute)
  return (attribute.custom?.cell ?? '{value}').replace(/\{(value|options\.(\w+))\}/g, (_, name: string, option?: string) =>
    shown(name === 'value' ? value : options[option ?? '']),
  )
}

const shown = (value: unknown): string => (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''))

/** The options of an attribute, with the defaults of those that it does not set. */
export function optionsOf(attribute: Attribute): Record<string, unknown> {
  const own = Object.fromEntries(Object.entries(attribute.pluginOptions?.quire ?? {}).filter(([name]) => name !== 'type'))
  const defaults = Object.entries(attribute.custom?.options ?? {}).map(([name, option]) => [name, option.default] as const)
  return { ...Object.fromEntries(defaults), ...own }
}
