import { ActionIcon, Button, Group, Paper, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { ListPlus, Plus, X } from 'lucide-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useModel } from '../../api/hooks'
import { fieldTypeOf } from '../../fields/registry'
import { CustomOperand } from './CustomOperand'
import { fieldKey, type FilterField } from './fields'
import { isGroup, type FilterGroup, type FilterItem, type FilterRule } from './filters'

type Props = { fields: FilterField[]; group: FilterGroup; onChange: (group: FilterGroup) => void; depth?: number; onRemove?: () => void }

const DEEPEST = 3

/** Rules that all hold or of which one holds, with groups of such rules among them. */
export function FilterBuilder({ fields, group, onChange, depth = 0, onRemove }: Props) {
  const { t } = useTranslation()
  const replace = (index: number, item: FilterItem | null) =>
    onChange({ ...group, items: group.items.flatMap((one, at) => (at === index ? (item ? [item] : []) : [one])) })
  const first = fields[0]
  const newRule = (): FilterItem[] => (first ? [ruleFor(first)] : [])
  return (
    <Stack gap="xs" role="group" aria-label={t('filter.group')}>
      <Group justify="space-between">
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={t('filter.combine')}
            value={group.all ? 'all' : 'any'}
            onChange={(value) => onChange({ ...group, all: value === 'all' })}
            data={[
              { value: 'all', label: t('filter.all') },
              { value: 'any', label: t('filter.any') },
            ]}
          />
          <Text size="xs" c="dimmed">{t('filter.hold')}</Text>
        </Group>
        {onRemove && (
          <ActionIcon size="sm" aria-label={t('filter.removeGroup')} onClick={onRemove}>
            <X size={14} />
          </ActionIcon>
        )}
      </Group>
      {group.items.map((item, index) =>
        isGroup(item) ? (
          <Paper key={index} withBorder p="xs">
            <FilterBuilder fields={fields} group={item} depth={depth + 1} onChange={(changed) => replace(index, changed)} onRemove={() => replace(index, null)} />
          </Paper>
        ) : (
          <Rule key={index} fields={fields} rule={item} onChange={(changed) => replace(index, changed)} onRemove={() => replace(index, null)} />
        ),
      )}
      <Group gap="xs">
        <Button variant="subtle" size="compact-xs" leftSection={<Plus size={13} />} onClick={() => onChange({ ...group, items: [...group.items, ...newRule()] })}>
          {t('filter.addRule')}
        </Button>
        {depth < DEEPEST && (
          <Button variant="subtle" size="compact-xs" leftSection={<ListPlus size={13} />} onClick={() => onChange({ ...group, items: [...group.items, { all: !group.all, items: newRule() }] })}>
            {t('filter.addGroup')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

export function ruleFor(field: FilterField): FilterRule {
  return { field: field.path, op: fieldTypeOf(field.attribute).filter?.operators[0] ?? '$eq' }
}

function Rule({ fields, rule, onChange, onRemove }: { fields: FilterField[]; rule: FilterRule; onChange: (rule: FilterRule) => void; onRemove: () => void }) {
  const { t } = useTranslation()
  const field = fields.find((one) => fieldKey(one.path) === fieldKey(rule.field))
  const filter = field && fieldTypeOf(field.attribute).filter
  const own = fields.filter((one) => one.group === null)
  const groups = [...new Set(fields.map((one) => one.group).filter((one) => one !== null))]
  const choice = (one: FilterField) => ({ value: fieldKey(one.path), label: one.label })
  const data = [
    ...own.map(choice),
    ...groups.map((group) => ({ group, items: fields.filter((one) => one.group === group).map(choice) })),
  ]
  const { operators } = useModel()
  const custom = operators.filter((one) => field && one.on.includes(field.attribute.type))
  const chosen = custom.find((one) => one.name === rule.op)
  const needsValue = rule.op !== '$null' && rule.op !== '$notNull'
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" className="quire-rule">
      <Select
        size="xs"
        w={170}
        searchable
        allowDeselect={false}
        aria-label={t('filter.field')}
        data={data}
        value={fieldKey(rule.field)}
        onChange={(key) => {
          const next = fields.find((one) => fieldKey(one.path) === key)
          if (next) onChange(ruleFor(next))
        }}
      />
      <Select
        size="xs"
        w={150}
        allowDeselect={false}
        aria-label={t('filter.operator')}
        data={[...(filter?.operators ?? ['$eq']), ...custom.map((one) => one.name)].map((op) => ({ value: op, label: operatorLabel(t, op) }))}
        value={rule.op}
        onChange={(op) => op && onChange({ field: rule.field, op, value: keepsValue(rule.op, op) ? rule.value : undefined })}
      />
      <div style={{ flex: 1, minWidth: 150 }}>
        {chosen && <CustomOperand operator={chosen} rule={rule} onChange={onChange} />}
        {needsValue && !chosen && filter && field && (
          <filter.Value
            attribute={field.attribute}
            op={rule.op}
            value={rule.value}
            label={t('filter.value')}
            onChange={(value) => onChange({ ...rule, value })}
          />
        )}
      </div>
      <ActionIcon size="sm" mt={4} aria-label={t('filter.removeRule')} onClick={onRemove}>
        <X size={14} />
      </ActionIcon>
    </Group>
  )
}

const OF_SEVERAL = new Set(['$in', '$notIn', '$between'])
const keepsValue = (before: string, after: string) => OF_SEVERAL.has(before) === OF_SEVERAL.has(after)

export function operatorLabel(t: TFunction, op: string): string {
  return op.includes('_') ? op.slice(1).replaceAll('_', ' ') : t(`operator.${op}` as 'operator.$eq')
}
