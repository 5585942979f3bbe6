import { ActionIcon, Code, Divider, Group, Select, Stack, Switch, Text, TextInput, Title, Tooltip } from '@mantine/core'
import { Trash2, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { builderOf, familyOf } from '../../fields/builder'
import { isLocalizedModel, type Properties } from '../draft'
import { removeField, renameField } from '../edits'
import { asFieldName } from '../names'
import { useBuilder } from '../store'
import { ConditionOption } from './ConditionOption'
import { CopyFieldButton } from './CopyFieldButton'
import { CustomOptions } from './CustomOptions'
import { editField, setOptions, type OptionProps } from './edit'
import { FlagOption, OPTIONS } from './options'

/** All options of one field, which take effect in the draft at once. */
export function FieldPanel({ unwritable, onClose, onNext, ...props }: OptionProps & { unwritable: boolean; onClose: () => void; onNext: () => void }) {
  const { t } = useTranslation()
  const { model, field, locked } = props
  const { properties } = field
  const builder = builderOf(properties)
  const family = familyOf(properties.type)
  const shown = builder.options.filter((option) => OPTIONS[option])
  const isLocalized = (properties.pluginOptions?.i18n?.localized ?? false)
  const example = builder.example(properties)
  return (
    <Stack gap="sm" component="section" aria-label={t('model.panel')} p="md">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} className="quire-ellipsis">{field.name || t('model.newField')}</Title>
        <Group gap={4} wrap="nowrap">
          {!unwritable && field.name !== '' && <CopyFieldButton field={field} />}
          {!locked && (
            <Tooltip label={t('model.field.remove')}>
              <ActionIcon color="red" aria-label={t('model.field.removeNamed', { name: field.name })} onClick={() => editField(props, (found, owner, schema) => removeField(schema, owner, found))}>
                <Trash2 size={16} />
              </ActionIcon>
            </Tooltip>
          )}
          <ActionIcon aria-label={t('action.close')} onClick={onClose}>
            <X size={16} />
          </ActionIcon>
        </Group>
      </Group>
      {properties.configurable === false && <Text size="xs" c="dimmed">{t('model.field.fixed')}</Text>}
      <NameInput {...props} onNext={onNext} />
      {properties.pluginOptions?.quire ? (
        <Text size="sm" c="dimmed">{t('model.customType', { name: properties.pluginOptions.quire.type, type: properties.type })}</Text>
      ) : family.length > 1 ? (
        <Select
          label={t(builder.family ?? 'model.option.type')}
          data={family.map(([value, one]) => ({ value, label: t(one.label) }))}
          value={properties.type}
          disabled={locked}
          onChange={(type) => type && setOptions(props, asType(properties, type))}
        />
      ) : (
        <Text size="sm" c="dimmed">{t(builder.label)}</Text>
      )}
      <CustomOptions {...props} />
      {shown.map((option) => {
        const Control = OPTIONS[option]
        return Control && <Control key={option} {...props} />
      })}
      <Divider />
      <Stack gap={10}>
        <FlagOption name="required" {...props} />
        {builder.options.includes('unique') && <FlagOption name="unique" {...props} />}
        <FlagOption name="private" {...props} />
        {builder.options.includes('searchable') && <FlagOption name="searchable" {...props} />}
        {!builder.perLocale && isLocalizedModel(model) && (
          <Switch
            size="sm"
            label={t('model.option.localized')}
            checked={isLocalized}
            disabled={locked}
            onChange={(event) => setOptions(props, { pluginOptions: { ...properties.pluginOptions, i18n: { localized: event.currentTarget.checked } } })}
          />
        )}
      </Stack>
      <ConditionOption {...props} />
      <Divider />
      <div>
        <Text size="xs" c="dimmed" mb={6}>{t('model.inApi')}</Text>
        {example === undefined || properties.private ? (
          <Text size="xs">{t('model.inApiNever')}</Text>
        ) : (
          <Code block tabIndex={0} fz="xs" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{`"${field.name || '…'}": ${JSON.stringify(example)}\n${builder.query(field.name || '…')}`}</Code>
        )}
      </div>
    </Stack>
  )
}

/** What changes with a type: a default of the former one is none of the new one, and limits are numbers or texts. */
function asType({ min, max }: Properties, type: string): Partial<Properties> {
  const { options } = builderOf({ type })
  const limit = (value: number | string | undefined) =>
    value === undefined ? undefined : options.includes('bigRange') ? String(value) : Number(value)
  return { type, default: undefined, min: limit(min), max: limit(max) }
}

/** The name as it is typed; the field gets it as a name: "release date" is releaseDate. */
function NameInput({ onNext, ...props }: OptionProps & { onNext: () => void }) {
  const { t } = useTranslation()
  const { field } = props
  const [typed, setTyped] = useState<string | null>(null)
  const focused = useBuilder((state) => state.focused === field.id)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (!focused) return
    // After the popover that the field was chosen in has given the focus back.
    const timer = setTimeout(() => {
      input.current?.focus()
      input.current?.select()
      useBuilder.setState({ focused: null })
    }, 30)
    return () => clearTimeout(timer)
  }, [focused])
  const renamed = (text: string) => {
    setTyped(text)
    editField(props, (found, owner, schema) => renameField(schema, owner, found, asFieldName(text)), 'name')
  }
  return (
    <TextInput
      ref={input}
      label={t('model.option.name')}
      value={typed ?? field.name}
      disabled={props.locked}
      error={props.problems.name}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => renamed(event.currentTarget.value)}
      onBlur={() => setTyped(null)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        onNext()
      }}
    />
  )
}
