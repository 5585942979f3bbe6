import { Badge, Button, Group, Pill, Popover, ScrollArea, Text } from '@mantine/core'
import { Filter } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fieldKey, type FilterField } from './fields'
import { FilterBuilder, operatorLabel, ruleFor } from './FilterBuilder'
import { countRules, isComplete, isGroup, type FilterGroup, type FilterItem } from './filters'

export function FilterMenu({ fields, value, onChange }: { fields: FilterField[]; value: FilterGroup | undefined; onChange: (value: FilterGroup | undefined) => void }) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const count = countRules(value)
  const [draft, setDraft] = useState<FilterGroup>({ all: true, items: [] })
  const open = () => {
    const first = fields[0]
    setDraft(value ?? { all: true, items: first ? [ruleFor(first)] : [] })
    setOpened(true)
  }
  // Menus of the controls stand in portals of their own: a click there is none outside.
  useEffect(() => {
    if (!opened) return
    const close = (event: MouseEvent) => {
      const target = event.target as HTMLElement
      if (!target.closest('[data-portal]') && !button.current?.contains(target)) setOpened(false)
    }
    document.addEventListener('mousedown', close)
    return () => document.removeEventListener('mousedown', close)
  }, [opened])
  const change = (group: FilterGroup) => {
    setDraft(group)
    onChange(group.items.length > 0 ? group : undefined)
  }
  return (
    <Popover opened={opened} onChange={setOpened} onDismiss={() => setOpened(false)} position="bottom-start" width={620} trapFocus withinPortal closeOnClickOutside={false} closeOnEscape={false}>
      <Popover.Target>
        <Button
          ref={button}
          variant={count > 0 ? 'light' : 'default'}
          leftSection={<Filter size={13} />}
          rightSection={count > 0 ? <Badge size="xs" circle>{count}</Badge> : undefined}
          onClick={() => (opened ? setOpened(false) : open())}
        >
          {t('list.filter')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown
        maw="96vw"
        onKeyDown={(event) => {
          // Escape closes the menu of a control first.
          const isMenuOpen = (event.target as HTMLElement).getAttribute('aria-expanded') === 'true'
          if (event.key === 'Escape' && !isMenuOpen) setOpened(false)
        }}
      >
        <ScrollArea.Autosize mah="60vh" scrollbars="y">
          <FilterBuilder fields={fields} group={draft} onChange={change} />
        </ScrollArea.Autosize>
        <Group justify="space-between" mt="sm">
          <Button variant="subtle" color="gray" disabled={draft.items.length === 0} onClick={() => change({ all: true, items: [] })}>{t('list.clearFilters')}</Button>
          <Button onClick={() => setOpened(false)}>{t('action.done')}</Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}

/** The rules in effect, each of which can be taken back. */
export function FilterChips({ fields, value, onChange }: { fields: FilterField[]; value: FilterGroup | undefined; onChange: (value: FilterGroup | undefined) => void }) {
  const { t } = useTranslation()
  if (!value || countRules(value) === 0) return null
  const text = (item: FilterItem): string => {
    if (isGroup(item)) return `(${item.items.filter((one) => isGroup(one) || isComplete(one)).map(text).join(` ${item.all ? t('filter.and') : t('filter.or')} `)})`
    const field = fields.find((one) => fieldKey(one.path) === fieldKey(item.field))
    const operand = item.op === '$null' || item.op === '$notNull' ? '' : Array.isArray(item.value) ? item.field[1] === 'documentId' ? ` ${t('filter.chosen', { count: item.value.length })}` : ` ${item.value.join(', ')}` : ` ${item.value ?? ''}`
    return `${field?.label ?? fieldKey(item.field)} ${operatorLabel(t, item.op)}${operand}`
  }
  const remove = (index: number) => {
    const items = value.items.filter((_, at) => at !== index)
    onChange(items.length > 0 ? { ...value, items } : undefined)
  }
  return (
    <Group gap={6}>
      {value.items.map((item, index) =>
        isGroup(item) ? countRules(item) > 0 && <Chip key={index} text={text(item)} onRemove={() => remove(index)} /> : isComplete(item) && <Chip key={index} text={text(item)} onRemove={() => remove(index)} />,
      )}
      {value.items.length > 1 && <Text size="xs" c="dimmed">{value.all ? t('filter.allHold') : t('filter.anyHolds')}</Text>}
      <Button variant="subtle" size="compact-xs" onClick={() => onChange(undefined)}>{t('list.clearFilters')}</Button>
    </Group>
  )
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  const { t } = useTranslation()
  return (
    <Pill withRemoveButton onRemove={onRemove} removeButtonProps={{ 'aria-label': t('filter.removeNamed', { name: text }), tabIndex: 0, 'aria-hidden': false }}>
      {text}
    </Pill>
  )
}
