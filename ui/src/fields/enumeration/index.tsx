import { Badge, Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useField } from '../../content/editor/store'
import { isEmpty, Nothing } from '../shared/cells'
import { ValueDiff } from '../shared/diffs'
import { ChoiceFilter } from '../shared/filters'
import { inputProps } from '../shared/Frame'
import { CHOICE } from '../shared/operators'
import type { CellProps, FieldType, InputProps } from '../types'

function Input(props: InputProps) {
  const { t } = useTranslation()
  const { value, error, set } = useField<string | null | undefined>(props.path)
  const choices = props.attribute.enum ?? []
  return (
    <Select
      {...inputProps(props, error)}
      data={choices}
      searchable={choices.length > 8}
      clearable={!props.required && !props.locked}
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      value={value ?? null}
      onChange={(changed) => set(changed)}
      placeholder={props.meta?.placeholder || t('enumeration.choose')}
    />
  )
}

function Cell({ value }: CellProps) {
  return isEmpty(value) ? <Nothing /> : <Badge size="sm" variant="default" tt="none" fw={500}>{String(value)}</Badge>
}

export const enumeration: FieldType = {
  standsAlone: true,
  Input,
  Cell,
  Diff: ValueDiff,
  filter: { operators: CHOICE, Value: ChoiceFilter },
  summary: (value) => String(value ?? ''),
}
