import { Badge, Group, Paper, Text, UnstyledButton } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { builderOf } from '../fields/builder'
import { DragHandle, moveItem, SortableItem, SortableList } from '../fields/shared/Sortable'
import { chipsOf } from './chips'
import type { Change } from './changes'
import type { DraftField, DraftModel } from './draft'
import type { Problem } from './names'
import { useBuilder, useDraft } from './store'
import { TypeIcon } from './TypeIcon'

type Props = { model: DraftModel; changes: Change[]; problems: Problem[]; locked: boolean }

export function FieldList({ model, changes, problems, locked }: Props) {
  const move = (from: number, to: number) =>
    useBuilder.getState().change((draft) => {
      const owner = draft[model.id]
      if (owner) owner.fields = moveItem(owner.fields, from, to)
    })
  return (
    <Paper withBorder className="quire-surface quire-fields" style={{ overflow: 'hidden' }}>
      <SortableList ids={model.fields.map((field) => field.id)} onMove={move}>
        {model.fields.map((field) => (
          <SortableItem key={field.id} id={field.id}>
            <Row
              model={model}
              field={field}
              change={changes.find((change) => change.fieldId === field.id)}
              problem={problems.find((problem) => problem.fieldId === field.id)}
              locked={locked}
            />
          </SortableItem>
        ))}
      </SortableList>
    </Paper>
  )
}

const CHANGE_COLORS = { addField: 'green', renameField: 'violet', changeField: 'violet' } as const

function Row({ model, field, change, problem, locked }: { model: DraftModel; field: DraftField; change?: Change; problem?: Problem; locked: boolean }) {
  const { t } = useTranslation()
  const schema = useDraft()
  const isSelected = useBuilder((state) => state.selected === field.id)
  const builder = builderOf(field.properties)
  const kind = change?.kind as keyof typeof CHANGE_COLORS | undefined
  const about = builder.about?.(field.properties, schema)
  return (
    <Group className="quire-field-row" gap="xs" wrap="nowrap" pl={locked ? 10 : 4} data-selected={isSelected || undefined}>
      {!locked && <DragHandle label={t('order.move', { name: field.name || t('model.newField') })} />}
      <UnstyledButton
        flex={1}
        miw={0}
        py={7}
        pr="sm"
        aria-pressed={isSelected}
        onClick={() => useBuilder.getState().select(isSelected ? null : field.id)}
      >
        <Group gap="sm" wrap="nowrap">
          <TypeIcon properties={field.properties} />
          <Text size="sm" fw={500} className="quire-ellipsis quire-field-name">{field.name || t('model.newField')}</Text>
          <Text size="sm" c="dimmed" className="quire-ellipsis" style={{ flex: 1 }}>
            {t(builder.label)}{about ? ` ${about}` : ''}
          </Text>
          {problem && (
            <Group gap={4} wrap="nowrap" c="var(--mantine-color-error)">
              <TriangleAlert size={14} aria-hidden />
              <Text size="xs" className="quire-ellipsis">{problem.message}</Text>
            </Group>
          )}
          <Group gap={6} wrap="nowrap" className="quire-wide">
            {!problem && chipsOf(model, field.properties).slice(0, 4).map((chip) => (
              <Badge key={chip} size="sm" variant="default" tt="none" fw={500}>{chip}</Badge>
            ))}
          </Group>
          {kind && CHANGE_COLORS[kind] && !problem && (
            <Badge size="sm" variant="light" tt="none" color={CHANGE_COLORS[kind]} style={{ flexShrink: 0 }}>{t(`model.mark.${kind}`)}</Badge>
          )}
        </Group>
      </UnstyledButton>
    </Group>
  )
}
