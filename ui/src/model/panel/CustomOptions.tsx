import { NumberInput, Select, Switch, TextInput } from '@mantine/core'
import type { Attribute } from '../../api/types'
import { useModel } from '../../api/hooks'
import { setOptions, type OptionProps } from './edit'

type Quire = NonNullable<NonNullable<Attribute['pluginOptions']>['quire']>

/** The options of an attribute type of the project's code. */
export function CustomOptions(props: OptionProps) {
  const { attributeTypes } = useModel()
  const { properties } = props.field
  const own = properties.pluginOptions?.quire
  const type = attributeTypes.find(({ name }) => name === own?.type)
  if (!own || !type) return null
  const change = (name: string, value: unknown) => {
    const quire: Quire = { ...own }
    if (value === undefined || value === '') delete quire[name]
    else quire[name] = value
    setOptions(props, { pluginOptions: { ...properties.pluginOptions, quire } })
  }
  return (
    <>
      {Object.entries(type.options).map(([name, option]) => {
        const value = own[name]
        const common = { label: name, disabled: props.locked, placeholder: option.default === undefined ? undefined : String(option.default) }
        if (option.type === 'boolean') {
          return (
            <Switch key={name} size="sm" label={name} disabled={props.locked} checked={(value ?? option.default) === true} onChange={(event) => change(name, event.currentTarget.checked)} />
          )
        }
        if (option.enum) {
          return <Select key={name} {...common} clearable data={option.enum.map(String)} value={value === undefined ? null : String(value)} onChange={(chosen) => change(name, chosen ?? undefined)} />
        }
        if (option.type === 'integer' || option.type === 'number') {
          return <NumberInput key={name} {...common} allowDecimal={option.type === 'number'} value={typeof value === 'number' ? value : ''} onChange={(changed) => change(name, changed === '' ? undefined : Number(changed))} />
        }
        return <TextInput key={name} {...common} value={typeof value === 'string' ? value : ''} onChange={(event) => change(name, event.currentTarget.value)} />
      })}
    </>
  )
}
