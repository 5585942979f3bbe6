import { memo, useMemo } from 'react'
import type { Attribute, Metadata } from '../../api/types'
import { fieldTypeOf } from '../registry'

type Props = {
  /** The path of what the field stands in, `''` for the entry itself. */
  parent?: string
  name: string
  attribute: Attribute
  label: string
  meta?: Metadata['edit']
  locked?: string
}

/** One field of a form; it renders when its own value changes, not with its neighbours. */
export const FieldSlot = memo(function FieldSlot({ parent = '', name, attribute, label, meta, locked }: Props) {
  const path = useMemo(
    () => [...parent.split('.').filter(Boolean).map((step) => (/^\d+$/.test(step) ? Number(step) : step)), name],
    [parent, name],
  )
  const { Input } = fieldTypeOf(attribute)
  return (
    <Input path={path} attribute={attribute} label={label} meta={meta} locked={locked} required={attribute.required === true} />
  )
})
