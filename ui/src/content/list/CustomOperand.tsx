import { Stack, TagsInput, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CustomOperator } from '../../api/types'
import type { FilterRule } from './filters'

type Props = { operator: CustomOperator; rule: FilterRule; onChange: (rule: FilterRule) => void }

/** What an operator of the project's code compares with: one value, or one for each of its names. */
export function CustomOperand({ operator, rule, onChange }: Props) {
  const { t } = useTranslation()
  return (
    <Stack gap={4}>
      {operator.fields.map(({ name, list }) => {
        const value = name ? rule.operand?.[name] : rule.value
        const change = (changed: string | string[]) =>
          onChange(name ? { ...rule, value: undefined, operand: { ...rule.operand, [name]: changed } } : { ...rule, operand: undefined, value: changed })
        const label = name || t('filter.value')
        return list ? (
          <TagsInput key={name} size="xs" aria-label={label} placeholder={name} value={asList(value)} onChange={change} />
        ) : (
          <TextInput key={name} size="xs" aria-label={label} placeholder={name} value={asOne(value)} onChange={(event) => change(event.currentTarget.value)} />
        )
      })}
    </Stack>
  )
}

const asOne = (value: string | string[] | undefined) => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''))
const asList = (value: string | string[] | undefined) => (Array.isArray(value) ? value : value ? [value] : [])
