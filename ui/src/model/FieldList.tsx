import { Badge, Checkbox, Group, Paper, Text, UnstyledButton } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { memo, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { builderOf } from '../fields/builder'
import { DragHandle, moveItem, SortableItem, SortableList } from '../fields/shared/Sortable'
import { chipsOf } from './chips'
import type { Change } from './changes'
import { isLocalizedModel, isOwn, type DraftField, type DraftModel } from './draft'
import type { Problem } from './names'
import { FieldSelectionBar } from './FieldSelectionBar'
import { useBuilder } from './store'
import { TypeIcon } from './TypeIcon'

type Props = { model: DraftModel; changes: Change[]; problems: Problem[]; locked: boolean }

export function FieldList({ model, changes, problems, locked }: Props) {
  const [picked, setPicked] = useState<string[]>([])
  const isPickable = !locked && isOwn(model)
  const ids = picked.filter((id) => model.fields.some((field) => field.id === id))
  const pick = useCallback((id: string, isPicked: boolean) => setPicked((all) => (isPicked ? [...all, id] : all.filter((one) => one !== id))), [])
  const move = (from: number, to: number) =>
    useBuilder.getState().change((draft) => {
      const owner = draft[model.id]
      if (owner) owner.fields = moveItem(owner.fields, from, to)
    })
  return (
    <>
      {ids.length > 0 && <FieldSelectionBar model={model} ids={ids} onClear={() => setPicked([])} />}
      <Paper withBorder className="quire-surface quire-fields" style={{ overflow: 'hidden' }}>
        <SortableList ids={model.fields.map((field) => field.id)} onMove={move}>
          {model.fields.map((field) => (
            <SortableItem key={field.id} id={field.id}>
              <Row
                field={field}
                isLocalized={isLocalizedModel(model)}
                change={changes.find((change) => change.fieldId === field.id)?.kind}
                problem={problems.find((problem) => problem.fieldId === field.id)?.message}
                locked={locked}
                picked={isPickable ? ids.includes(field.id) : undefined}
                onPick={pick}
              />
            </SortableItem>
          ))}
        </SortableList>
      </Paper>
    </>
  )
}

const CHANGE_COLORS = { addField: 'green', renameField: 'violet', changeField: 'violet' } as const

type RowProps = {
  field: DraftField
  isLocalized: boolean
  /** What was done to it, of what is pending. */
  change?: Change['kind']
  /** What is wrong with it. */
  problem?: string
  locked: boolean
  /** Whether it is one of those that something is to be done to; undefined where nothing can be. */
  picked?: boolean
  onPick: (id: string, picked: boolean) => void
}

/** A field. While one is named, the others are not rendered again. */
const Row = memo(function Row({ field, isLocalized, change, problem, locked, picked, onPick }: RowProps) {
  const { t } = useTranslation()
  const isSelected = useBuilder((state) => state.selected === field.id)
  const builder = builderOf(field.properties)
  const kind = change as keyof typeof CHANGE_COLORS | undefined
  const about = useBuilder((state) => builder.about?.(field.properties, state.draft))
  return (
    <Group className="quire-field-row" gap="xs" wrap="nowrap" pl={locked ? 10 : 4} data-selected={isSelected || undefined}>
      {!locked && <DragHandle label={t('order.move', { name: field.name || t('model.newField') })} />}
      {picked !== undefined && (
        <Checkbox
          size="xs"
          aria-label={t('model.pick', { name: field.name || t('model.newField') })}
          checked={picked}
          onChange={(event) => onPick(field.id, event.currentTarget.checked)}
        />
      )}
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
          <Text size="sm" c="dimmed" className="quire-ellipsis quire-field-type">
            {t(builder.label)}{about ? ` ${about}` : ''}
          </Text>
          {problem && (
            <Group gap={4} wrap="nowrap" c="var(--mantine-color-error)">
              <TriangleAlert size={14} aria-hidden />
              <Text size="xs" className="quire-ellipsis">{problem}</Text>
            </Group>
          )}
          <Group className="quire-wide quire-field-chips">
            {!problem && chipsOf(field.properties, isLocalized).slice(0, 4).map((chip) => (
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
})
