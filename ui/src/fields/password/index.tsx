import { PasswordInput, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useEntryScope } from '../../content/editor/scope'
import { useField } from '../../content/editor/store'
import { inputProps } from '../shared/Frame'
import type { FieldType, InputProps } from '../types'

/** A password is only ever written: nobody is shown the one that is stored. */
function Input(props: InputProps) {
  const { t } = useTranslation()
  const { documentId } = useEntryScope()
  const { value, error, set } = useField<string | null | undefined>(props.path)
  return (
    <PasswordInput
      {...inputProps(props, error)}
      placeholder={documentId ? t('password.keep') : undefined}
      autoComplete="new-password"
      value={value ?? ''}
      onChange={(event) => set(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
    />
  )
}

function Hidden() {
  return <Text span inherit c="dimmed">••••</Text>
}

export const password: FieldType = {
  Input,
  Cell: Hidden,
  Diff: Hidden,
  serialize: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
}
