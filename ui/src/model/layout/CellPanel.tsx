import { NumberInput, Paper, Select, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useModel } from '../../api/hooks'
import type { ContentType, Metadata } from '../../api/types'
import { COLUMNS, LEAST, type LayoutDraft } from './view'

type Props = {
  type: Pick<ContentType, 'attributes'>
  draft: LayoutDraft
  cell: { name: string; size: number } | undefined
  locked: boolean
  onChange: (changed: Partial<LayoutDraft>) => void
}

/** How the form shows one field. */
export function CellPanel({ type, draft, cell, locked, onChange }: Props) {
  const { t } = useTranslation()
  const model = useModel()
  if (!cell) return <Text size="sm" c="dimmed" w={280}>{t('model.layout.pick')}</Text>
  const metadata = draft.metadatas[cell.name] ?? { edit: {}, list: {} }
  const target = model.types.get(type.attributes[cell.name]?.target ?? '')
  const set = (edit: Partial<Metadata['edit']>, list: Partial<Metadata['list']> = {}) =>
    onChange({
      metadatas: {
        ...draft.metadatas,
        [cell.name]: { edit: { ...metadata.edit, ...edit }, list: { ...metadata.list, ...list } },
      },
    })
  return (
    <Paper withBorder p="md" w={280} className="quire-surface" component="section" aria-label={t('model.layout.field', { name: cell.name })}>
      <Stack gap="sm">
        <Title order={3}>{cell.name}</Title>
        <TextInput
          label={t('model.layout.label')}
          value={metadata.edit.label ?? ''}
          disabled={locked}
          onChange={(event) => set({ label: event.currentTarget.value }, { label: event.currentTarget.value })}
        />
        <TextInput label={t('model.layout.description')} value={metadata.edit.description ?? ''} disabled={locked} onChange={(event) => set({ description: event.currentTarget.value })} />
        <TextInput label={t('model.layout.placeholder')} value={metadata.edit.placeholder ?? ''} disabled={locked} onChange={(event) => set({ placeholder: event.currentTarget.value })} />
        <NumberInput
          label={t('model.layout.width')}
          min={LEAST}
          max={COLUMNS}
          clampBehavior="strict"
          value={cell.size}
          disabled={locked}
          onChange={(size) =>
            Number(size) >= LEAST && onChange({ form: draft.form.map((one) => (one.name === cell.name ? { ...one, size: Number(size) } : one)) })
          }
        />
        {target && (
          <Select
            label={t('model.layout.linkTitle')}
            allowDeselect={false}
            data={Object.entries(target.attributes).filter(([, one]) => one.target === undefined && !one.private).map(([name]) => name)}
            value={metadata.edit.mainField ?? null}
            disabled={locked}
            onChange={(mainField) => mainField && set({ mainField })}
          />
        )}
        <Switch size="sm" label={t('model.layout.editable')} checked={metadata.edit.editable ?? true} disabled={locked} onChange={(event) => set({ editable: event.currentTarget.checked })} />
      </Stack>
    </Paper>
  )
}
