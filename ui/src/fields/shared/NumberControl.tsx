import { NumberInput } from '@mantine/core'
import { useField } from '../../content/editor/store'
import { formatNumber } from '../../i18n'
import type { InputProps } from '../types'
import { inputProps } from './Frame'

export function NumberControl(props: InputProps & { integer: boolean }) {
  const { value, error, set } = useField<number | string | null | undefined>(props.path)
  return (
    <NumberInput
      {...inputProps(props, error)}
      value={value ?? ''}
      allowDecimal={!props.integer}
      onChange={(changed) => set(changed === '' ? null : changed)}
      step={1}
      decimalSeparator={formatNumber(0.5).charAt(1)}
      allowedDecimalSeparators={['.', ',']}
      hideControls={Boolean(props.locked)}
    />
  )
}
