import { ActionIcon, Group, NumberInput, Paper, Select, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core'
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { labelOf } from '../../api/hooks'
import { DragHandle, moveItem, SortableItem, SortableList } from '../../fields/shared/Sortable'
import { titleFields, type LayoutDraft } from './view'

type Props = { draft: LayoutDraft; locked: boolean; onChange: (changed: Partial<LayoutDraft>) => void }

/** Which columns lists begin with, how they are ordered, and what entries are called. */
export function ListSettings({ draft, locked, onChange }: Props) {
  const { t } = useTranslation()
  const { settings, columns, metadatas } = draft
  const set = (changed: Partial<LayoutDraft['settings']>) => onChange({ settings: { ...settings, ...changed } })
  const title = (name: string) => metadatas[name]?.list.label || labelOf(undefined, name, 'list')
  const sortable = titleFields(draft)
  const more = Object.keys(metadatas).filter((name) => !columns.includes(name)).map((value) => ({ value, label: title(value) }))
  return (
    <section>
      <Title order={2} mb="xs">{t('model.layout.list')}</Title>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <Stack gap="xs">
          <Text size="sm" fw={500}>{t('model.layout.columns')}</Text>
          <Paper withBorder className="quire-surface" style={{ overflow: 'hidden' }}>
            <SortableList ids={columns} onMove={(from, to) => onChange({ columns: moveItem(columns, from, to) })}>
              {columns.map((name) => (
                <SortableItem key={name} id={name}>
                  <Group className="quire-field-row" gap="xs" px={8} h={34} wrap="nowrap">
                    {!locked && <DragHandle label={t('order.move', { name })} />}
                    <Text size="sm" flex={1} className="quire-ellipsis">{title(name)}</Text>
                    {!locked && columns.length > 1 && (
                      <ActionIcon size="sm" aria-label={t('model.layout.remove', { name })} onClick={() => onChange({ columns: columns.filter((one) => one !== name) })}>
                        <X size={13} />
                      </ActionIcon>
                    )}
                  </Group>
                </SortableItem>
              ))}
            </SortableList>
          </Paper>
          {!locked && (
            <Select size="xs" maw={240} searchable aria-label={t('model.layout.addColumn')} placeholder={t('model.layout.addColumn')} data={more} value={null} onChange={(name) => name && onChange({ columns: [...columns, name] })} />
          )}
        </Stack>
        <Stack gap="sm">
          <Select label={t('model.layout.mainField')} allowDeselect={false} data={sortable} value={settings.mainField} disabled={locked} onChange={(mainField) => mainField && set({ mainField })} />
          <Group grow gap="sm" align="flex-end">
            <Select label={t('model.layout.sort')} allowDeselect={false} data={sortable} value={settings.defaultSortBy} disabled={locked} onChange={(defaultSortBy) => defaultSortBy && set({ defaultSortBy })} />
            <Select aria-label={t('model.layout.order')} allowDeselect={false} data={[{ value: 'ASC', label: t('model.layout.ascending') }, { value: 'DESC', label: t('model.layout.descending') }]} value={settings.defaultSortOrder} disabled={locked} onChange={(order) => order && set({ defaultSortOrder: order as 'ASC' | 'DESC' })} />
          </Group>
          <NumberInput label={t('model.layout.pageSize')} min={10} max={100} value={settings.pageSize} disabled={locked} onChange={(size) => Number(size) >= 10 && set({ pageSize: Number(size) })} />
          <Group gap="lg">
            <Switch size="sm" label={t('model.layout.searchable')} checked={settings.searchable} disabled={locked} onChange={(event) => set({ searchable: event.currentTarget.checked })} />
            <Switch size="sm" label={t('model.layout.filterable')} checked={settings.filterable} disabled={locked} onChange={(event) => set({ filterable: event.currentTarget.checked })} />
          </Group>
        </Stack>
      </SimpleGrid>
    </section>
  )
}
