import { Text, Textarea, TextInput } from '@mantine/core'
import { useField } from '../../content/editor/store'
import type { InputProps } from '../types'
import { useTextLanguage } from './direction'
import { inputProps } from './Frame'

/** How much of a limited text is used, once it comes near the limit. */
function Counter({ value, max }: { value: string; max?: number }) {
  if (!max || value.length < max * 0.7) return null
  return (
    <Text span size="xs" c={value.length > max ? 'var(--mantine-color-error)' : 'dimmed'} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {value.length}/{max}
    </Text>
  )
}

export function TextControl(props: InputProps & { type?: 'text' | 'email' }) {
  const { value, error, set } = useField<string | null | undefined>(props.path)
  const language = useTextLanguage()
  const text = value ?? ''
  const { attribute } = props
  return (
    <TextInput
      {...inputProps(props, error)}
      {...(props.type === 'email' ? {} : language)}
      type={props.type ?? 'text'}
      value={text}
      onChange={(event) => set(event.currentTarget.value === '' && !attribute.required ? null : event.currentTarget.value)}
      rightSection={<Counter value={text} max={attribute.maxLength} />}
      rightSectionWidth={attribute.maxLength && text.length >= attribute.maxLength * 0.7 ? 64 : undefined}
      rightSectionPointerEvents="none"
      autoComplete="off"
    />
  )
}

export function LongTextControl(props: InputProps) {
  const { value, error, set } = useField<string | null | undefined>(props.path)
  const language = useTextLanguage()
  const text = value ?? ''
  const { attribute } = props
  return (
    <Textarea
      {...inputProps(props, error)}
      {...language}
      autosize
      minRows={2}
      maxRows={14}
      value={text}
      onChange={(event) => set(event.currentTarget.value === '' && !attribute.required ? null : event.currentTarget.value)}
      rightSection={<Counter value={text} max={attribute.maxLength} />}
      rightSectionWidth={attribute.maxLength && text.length >= attribute.maxLength * 0.7 ? 64 : undefined}
      rightSectionPointerEvents="none"
    />
  )
}
