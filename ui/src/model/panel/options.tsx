import { Group, MultiSelect, NumberInput, SegmentedControl, Select, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core'
import type { ComponentType } from 'react'
import { useTranslation } from 'react-i18next'
import { builderOf, type OptionName } from '../../fields/builder'
import { ComponentOption, ComponentsOption } from './ComponentOptions'
import { setOptions, type OptionProps } from './edit'
import { RelationOption } from './RelationOption'

type NumberName = 'minLength' | 'maxLength' | 'min' | 'max'

function NumberOption({ name, whole, ...props }: OptionProps & { name: NumberName; whole: boolean }) {
  const { t } = useTranslation()
  const value = props.field.properties[name]
  return (
    <NumberInput
      flex={1}
      label={t(`model.option.${name}`)}
      value={value === undefined ? '' : Number(value)}
      allowDecimal={!whole}
      min={whole ? 0 : undefined}
      disabled={props.locked}
      error={props.problems[name]}
      onChange={(next) => setOptions(props, { [name]: next === '' ? undefined : Number(next) })}
    />
  )
}

const Pair = ({ names, whole, ...props }: OptionProps & { names: [NumberName, NumberName]; whole: boolean }) => (
  <Group gap="sm" align="flex-start" wrap="nowrap">
    {names.map((name) => <NumberOption key={name} name={name} whole={whole} {...props} />)}
  </Group>
)

function BigRangeOption(props: OptionProps) {
  const { t } = useTranslation()
  // Numbers of JavaScript cannot hold these: the schema file has them as texts.
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap">
      {(['min', 'max'] as const).map((name) => (
        <TextInput
          key={name}
          flex={1}
          label={t(`model.option.${name}`)}
          inputMode="numeric"
          value={String(props.field.properties[name] ?? '')}
          disabled={props.locked}
          error={props.problems[name]}
          onChange={(event) => setOptions(props, { [name]: event.currentTarget.value.replace(/[^-\d]/g, '') || undefined })}
        />
      ))}
    </Group>
  )
}

function DefaultOption(props: OptionProps) {
  const { t } = useTranslation()
  const { properties } = props.field
  return (
    <TextInput
      label={t('model.option.default')}
      placeholder={builderOf(properties).defaultHint}
      value={String(properties.default ?? '')}
      disabled={props.locked || Boolean(properties.targetField)}
      onChange={(event) => setOptions(props, { default: event.currentTarget.value || undefined })}
    />
  )
}

function DefaultNumberOption(props: OptionProps) {
  const { t } = useTranslation()
  const { properties } = props.field
  return (
    <NumberInput
      label={t('model.option.default')}
      value={typeof properties.default === 'number' ? properties.default : ''}
      allowDecimal={!builderOf(properties).whole}
      disabled={props.locked}
      onChange={(next) => setOptions(props, { default: next === '' ? undefined : Number(next) })}
    />
  )
}

function DefaultBooleanOption(props: OptionProps) {
  const { t } = useTranslation()
  const value = props.field.properties.default
  return (
    <div>
      <Text size="sm" fw={500} mb={4} id={`default-${props.field.id}`}>{t('model.option.default')}</Text>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-labelledby={`default-${props.field.id}`}
        disabled={props.locked}
        value={value === undefined || value === null ? 'unset' : String(value)}
        onChange={(next) => setOptions(props, { default: next === 'unset' ? undefined : next === 'true' })}
        data={[
          { value: 'unset', label: t('boolean.unset') },
          { value: 'true', label: t('boolean.true') },
          { value: 'false', label: t('boolean.false') },
        ]}
      />
    </div>
  )
}

function EnumOption(props: OptionProps) {
  const { t } = useTranslation()
  return (
    <TagsInput
      label={t('model.option.enum')}
      description={t('model.option.enumHint')}
      value={props.field.properties.enum ?? []}
      splitChars={[',', '\n']}
      acceptValueOnBlur
      disabled={props.locked}
      error={props.problems.enum}
      onChange={(values) => setOptions(props, { enum: values.map((one) => one.trim()).filter(Boolean) })}
    />
  )
}

function DefaultEnumOption(props: OptionProps) {
  const { t } = useTranslation()
  const { properties } = props.field
  return (
    <Select
      label={t('model.option.default')}
      clearable
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      data={[...new Set(properties.enum ?? [])]}
      value={typeof properties.default === 'string' ? properties.default : null}
      disabled={props.locked}
      onChange={(value) => setOptions(props, { default: value ?? undefined })}
    />
  )
}

function RegexOption(props: OptionProps) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t('model.option.regex')}
      placeholder="^[a-z]+$"
      ff="monospace"
      value={props.field.properties.regex ?? ''}
      disabled={props.locked}
      error={props.problems.regex}
      onChange={(event) => setOptions(props, { regex: event.currentTarget.value || undefined })}
    />
  )
}

const FILE_TYPES = ['images', 'files', 'videos', 'audios'] as const

function MediaOption(props: OptionProps) {
  const { t } = useTranslation()
  const { multiple, allowedTypes } = props.field.properties
  return (
    <Stack gap="sm">
      <div>
        <Text size="sm" fw={500} mb={4} id={`many-${props.field.id}`}>{t('model.option.multiple')}</Text>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-labelledby={`many-${props.field.id}`}
          disabled={props.locked}
          value={multiple ? 'many' : 'one'}
          onChange={(value) => setOptions(props, { multiple: value === 'many' })}
          data={[{ value: 'one', label: t('model.media.one') }, { value: 'many', label: t('model.media.many') }]}
        />
      </div>
      <MultiSelect
        label={t('model.option.allowedTypes')}
        placeholder={allowedTypes?.length ? undefined : t('model.media.any')}
        data={FILE_TYPES.map((value) => ({ value, label: t(`model.media.${value}`) }))}
        value={allowedTypes ?? []}
        disabled={props.locked}
        onChange={(values) => setOptions(props, { allowedTypes: values.length ? values : undefined })}
      />
    </Stack>
  )
}

function TargetFieldOption(props: OptionProps) {
  const { t } = useTranslation()
  const texts = props.model.fields.filter((one) => one.name !== '' && builderOf(one.properties).family === 'type.family.text')
  return (
    <Select
      label={t('model.option.targetField')}
      description={t('model.option.targetFieldHint')}
      clearable
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      data={texts.map((one) => one.name)}
      value={props.field.properties.targetField ?? null}
      disabled={props.locked}
      onChange={(value) => setOptions(props, { targetField: value ?? undefined, ...(value ? { default: undefined } : {}) })}
    />
  )
}

type FlagName = 'required' | 'unique' | 'private' | 'searchable'

/** A switch for an option that is true or false. */
export function FlagOption({ name, ...props }: OptionProps & { name: FlagName }) {
  const { t } = useTranslation()
  const { properties } = props.field
  const usual = name === 'searchable'
  return (
    <Switch
      size="sm"
      label={t(`model.option.${name}`)}
      checked={(properties[name] as boolean | undefined) ?? usual}
      disabled={props.locked}
      onChange={(event) => setOptions(props, { [name]: event.currentTarget.checked === usual ? undefined : !usual })}
    />
  )
}

/** Controls above the switches, by option; `unique` and `searchable` are switches. */
export const OPTIONS: Partial<Record<OptionName, ComponentType<OptionProps>>> = {
  amount: (props) => (props.field.properties.repeatable === false ? null : <Pair names={['min', 'max']} whole {...props} />),
  component: ComponentOption,
  components: ComponentsOption,
  default: DefaultOption,
  defaultBoolean: DefaultBooleanOption,
  defaultEnum: DefaultEnumOption,
  defaultNumber: DefaultNumberOption,
  enum: EnumOption,
  length: (props) => <Pair names={['minLength', 'maxLength']} whole {...props} />,
  media: MediaOption,
  bigRange: BigRangeOption,
  range: (props) => <Pair names={['min', 'max']} whole={false} {...props} />,
  regex: RegexOption,
  relation: RelationOption,
  targetField: TargetFieldOption,
}
