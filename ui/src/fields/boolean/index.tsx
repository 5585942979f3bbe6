import { Group, SegmentedControl, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useField } from '../../content/editor/store'
import { Nothing } from '../shared/cells'
import { ValueDiff } from '../shared/diffs'
import { BooleanFilter } from '../shared/filters'
import { FieldFrame } from '../shared/Frame'
import { FLAG } from '../shared/operators'
import type { CellProps, FieldType, InputProps } from '../types'

/** Three states: a boolean that nobody has set is neither true nor false. */
function Input(props: InputProps) {
  const { t } = useTranslation()
  const { value, error, set } = useField<boolean | null | undefined>(props.path)
  const states = [
    { value: 'true', label: t('boolean.true') },
    { value: 'false', label: t('boolean.false') },
    ...(props.required && value !== null && value !== undefined ? [] : [{ value: 'null', label: t('boolean.unset') }]),
  ]
  return (
    <FieldFrame {...props} error={error}>
      <Group>
        <SegmentedControl
          size="sm"
          aria-label={props.label}
          data={states}
          disabled={Boolean(props.locked)}
          value={String(value ?? null)}
          onChange={(changed) => set(changed === 'null' ? null : changed === 'true')}
        />
      </Group>
    </FieldFrame>
  )
}

function Cell({ value }: CellProps) {
  const { t } = useTranslation()
  if (typeof value !== 'boolean') return <Nothing />
  return <Text span inherit c={value ? undefined : 'dimmed'}>{value ? t('boolean.true') : t('boolean.false')}</Text>
}

export const boolean: FieldType = {
  standsAlone: true,
  Input,
  Cell,
  Diff: ValueDiff,
  filter: { operators: FLAG, Value: BooleanFilter },
}
