import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { builderOf } from '../../fields/builder'
import { conditionFor, conditionOf } from '../edits'
import { setOptions, type OptionProps } from './edit'

/** When the form shows a field: by the value of a boolean or an enumeration beside it. */
export function ConditionOption(props: OptionProps) {
  const { t } = useTranslation()
  const { model, field, locked, problems } = props
  const condition = conditionOf(field.properties)
  const deciding = model.fields.filter(
    (one) => one.id !== field.id && one.name !== '' && (builderOf(one.properties).options.includes('defaultBoolean') || one.properties.enum !== undefined),
  )
  const valuesOf = (name: string): { value: string; label: string; meant: unknown }[] => {
    const found = model.fields.find((one) => one.name === name)
    if (found?.properties.enum) return found.properties.enum.map((one) => ({ value: one, label: one, meant: one }))
    return [{ value: 'true', label: t('boolean.true'), meant: true }, { value: 'false', label: t('boolean.false'), meant: false }]
  }
  const put = (name: string, is: boolean, value: unknown) => setOptions(props, { conditions: conditionFor({ field: name, is, value }) })
  if (field.properties.conditions?.visible !== undefined && !condition) {
    return <Text size="xs" c="dimmed">{t('model.condition.other')}</Text>
  }
  if (!condition) {
    const first = deciding[0]
    if (locked || !first) return null
    return (
      <div>
        <Button variant="default" size="compact-xs" leftSection={<Plus size={12} />} onClick={() => put(first.name, true, valuesOf(first.name)[0]?.meant)}>
          {t('model.condition.add')}
        </Button>
      </div>
    )
  }
  const values = valuesOf(condition.field)
  return (
    <Stack gap={6} role="group" aria-label={t('model.condition.title')}>
      <Group justify="space-between">
        <Text size="sm" fw={500}>{t('model.condition.title')}</Text>
        {!locked && (
          <Button variant="subtle" color="gray" size="compact-xs" leftSection={<X size={12} />} onClick={() => setOptions(props, { conditions: undefined })}>
            {t('model.condition.remove')}
          </Button>
        )}
      </Group>
      <Select
        aria-label={t('model.condition.field')}
        size="xs"
        data={deciding.map((one) => one.name)}
        value={condition.field}
        disabled={locked}
        error={problems.conditions}
        onChange={(name) => name && put(name, condition.is, valuesOf(name)[0]?.meant)}
      />
      <Group gap={6} wrap="nowrap">
        <Select
          aria-label={t('model.condition.operator')}
          size="xs"
          w={90}
          data={[{ value: 'is', label: t('model.condition.is') }, { value: 'not', label: t('model.condition.not') }]}
          value={condition.is ? 'is' : 'not'}
          disabled={locked}
          onChange={(value) => put(condition.field, value === 'is', condition.value)}
        />
        <Select
          aria-label={t('model.condition.value')}
          size="xs"
          flex={1}
          data={values.map(({ value, label }) => ({ value, label }))}
          value={String(condition.value)}
          disabled={locked}
          onChange={(value) => put(condition.field, condition.is, values.find((one) => one.value === value)?.meant)}
        />
      </Group>
    </Stack>
  )
}
