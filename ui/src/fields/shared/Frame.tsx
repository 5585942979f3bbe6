import { Box, Group, Input, Text, Tooltip } from '@mantine/core'
import { Globe, Lock } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { InputProps } from '../types'

/** The label of a field, with what is special about it. */
export function FieldLabel({ label, attribute, locked, required }: Pick<InputProps, 'label' | 'attribute' | 'locked' | 'required'>) {
  const { t } = useTranslation()
  const translated = attribute.pluginOptions?.i18n?.localized === true
  return (
    <Group gap={6} display="inline-flex" wrap="nowrap" component="span">
      <span>
        {label}
        {required && (
          <Text span c="var(--mantine-color-error)" inherit aria-hidden>
            {' *'}
          </Text>
        )}
      </span>
      {translated && (
        <Tooltip label={t('field.translated')}>
          <Globe size={13} role="img" aria-label={t('field.translated')} color="var(--mantine-color-dimmed)" />
        </Tooltip>
      )}
      {locked && (
        <Tooltip label={locked} multiline maw={260}>
          <Lock size={13} role="img" aria-label={locked} color="var(--mantine-color-dimmed)" />
        </Tooltip>
      )}
    </Group>
  )
}

/** What the controls of Mantine take of a field. */
export function inputProps(props: InputProps, error: string | undefined) {
  return {
    label: <FieldLabel {...props} />,
    description: props.meta?.description || undefined,
    placeholder: props.meta?.placeholder || undefined,
    error: error || undefined,
    'data-path': props.path.join('.'),
    'aria-required': props.required || undefined,
    readOnly: Boolean(props.locked),
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
  }
}

/** A field that is no single control: a group with a label, a hint and a problem. */
export function FieldFrame({ error, side, children, ...props }: InputProps & { error?: string; side?: ReactNode; children: ReactNode }) {
  const id = useId()
  const described = [props.meta?.description && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <Box role="group" aria-labelledby={`${id}-label`} aria-describedby={described || undefined} data-path={props.path.join('.')} tabIndex={-1} style={{ outline: 'none' }}>
      <Group justify="space-between" mih={23} mb={side ? 4 : 0} wrap="nowrap">
        <Text size="sm" fw={600} id={`${id}-label`} component="div">
          <FieldLabel {...props} />
        </Text>
        {side}
      </Group>
      {children}
      {props.meta?.description && <Input.Description mt={4} id={`${id}-hint`}>{props.meta.description}</Input.Description>}
      {error && (
        <Input.Error mt={4} id={`${id}-error`} role="alert">
          {error}
        </Input.Error>
      )}
    </Box>
  )
}
