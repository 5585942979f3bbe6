import { Button, Group, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Component, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { builderOf } from '../fields/builder'
import { moveIntoComponent } from './copies'
import type { DraftModel } from './draft'
import { removeField } from './edits'
import { asFieldName, listed } from './names'
import { NewModelDialog } from './NewModelDialog'
import { useBuilder, useChanges } from './store'

/** What can be done to several fields at once. */
export function FieldSelectionBar({ model, ids, onClear }: { model: DraftModel; ids: string[]; onClear: () => void }) {
  const { t } = useTranslation()
  const [moves, { open, close }] = useDisclosure()
  const isNew = useChanges().some((change) => change.modelId === model.id && change.kind === 'addModel')
  const fields = model.fields.filter((field) => ids.includes(field.id))
  const stay = fields.filter(({ properties }) => builderOf(properties).notInComponents).map((field) => field.name)
  const remove = () => {
    useBuilder.getState().change((draft) => {
      const owner = draft[model.id]
      for (const { id } of fields) {
        const found = owner?.fields.find((one) => one.id === id)
        if (owner && found) removeField(draft, owner, found)
      }
    })
    onClear()
  }
  return (
    <Paper withBorder className="quire-surface" px="sm" py={6} component="section" aria-label={t('model.selection')}>
      <Group gap="xs">
        <Text size="sm" fw={500} flex={1} style={{ whiteSpace: 'nowrap' }}>{t('model.selected', { count: fields.length })}</Text>
        <Button size="compact-sm" variant="default" leftSection={<Component size={14} />} disabled={stay.length === fields.length} onClick={open}>{t('model.moveFields')}</Button>
        <Button size="compact-sm" variant="default" c="var(--mantine-color-error)" leftSection={<Trash2 size={14} />} onClick={remove}>{t('model.removeFields')}</Button>
        <Button size="compact-sm" variant="subtle" onClick={onClear}>{t('model.clearSelection')}</Button>
      </Group>
      <NewModelDialog
        kind={moves ? 'component' : null}
        title={t('model.moveTitle')}
        onClose={close}
        recipe={(draft, made) => {
          const owner = draft[model.id]
          if (owner) moveIntoComponent(draft, owner, ids, made, asFieldName(made.info.singularName.replace(/-/g, ' ')))
        }}
        onMade={onClear}
      >
        <Text size="sm">{listed(fields.filter((field) => !stay.includes(field.name)).map((field) => field.name))}</Text>
        {stay.length > 0 && <Text size="sm" c="dimmed">{t('model.moveStay', { names: listed(stay) })}</Text>}
        {!isNew && <Text size="sm" c="dimmed">{t('model.moveHint')}</Text>}
      </NewModelDialog>
    </Paper>
  )
}
