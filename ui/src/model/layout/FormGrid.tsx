import { ActionIcon, Box, Group, Select, Stack, Text, UnstyledButton } from '@mantine/core'
import { X } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { ContentType } from '../../api/types'
import { DragHandle, moveItem, SortableItem, SortableList } from '../../fields/shared/Sortable'
import { labelOf } from '../../api/hooks'
import { TypeIcon } from '../TypeIcon'
import type { Properties } from '../draft'
import { COLUMNS, LEAST, type LayoutDraft } from './view'

type Props = {
  type: Pick<ContentType, 'attributes'>
  draft: LayoutDraft
  locked: boolean
  selected: string | null
  onSelect: (name: string | null) => void
  onChange: (changed: Partial<LayoutDraft>) => void
}

/** The form as it will be: fields are ordered by their handle, and resized at their right edge. */
export function FormGrid({ type, draft, locked, selected, onSelect, onChange }: Props) {
  const { t } = useTranslation()
  const grid = useRef<HTMLDivElement>(null)
  const { form, metadatas } = draft
  const title = (name: string) => metadatas[name]?.edit.label || labelOf(undefined, name)
  const resize = (name: string, size: number) =>
    onChange({ form: form.map((one) => (one.name === name ? { ...one, size: Math.min(COLUMNS, Math.max(LEAST, size)) } : one)) })
  const hidden = Object.keys(metadatas).filter((name) => type.attributes[name] && metadatas[name]?.edit.visible && !form.some((one) => one.name === name))

  const drag = (event: React.PointerEvent<HTMLButtonElement>, name: string, size: number) => {
    const width = (grid.current?.clientWidth ?? 1) / COLUMNS
    const { clientX, pointerId, currentTarget } = event
    currentTarget.setPointerCapture(pointerId)
    const move = (moved: PointerEvent) => resize(name, Math.round(size + (moved.clientX - clientX) / width))
    const end = () => {
      currentTarget.removeEventListener('pointermove', move)
      currentTarget.removeEventListener('pointerup', end)
    }
    currentTarget.addEventListener('pointermove', move)
    currentTarget.addEventListener('pointerup', end)
  }
  return (
    <Stack flex="1 1 420px" miw={0} gap="sm">
      <div ref={grid} className="quire-grid">
        <SortableList grid ids={form.map((one) => one.name)} onMove={(from, to) => onChange({ form: moveItem(form, from, to) })}>
          {form.map(({ name, size }) => (
            <Box key={name} className="quire-grid-cell" style={{ gridColumn: `span ${size}` }}>
              <SortableItem id={name}>
                <Group gap={4} wrap="nowrap" className="quire-grid-field" data-selected={selected === name || undefined}>
                  {!locked && <DragHandle label={t('order.move', { name })} />}
                  <UnstyledButton flex={1} miw={0} py={8} aria-pressed={selected === name} aria-label={t('model.layout.field', { name: title(name) })} onClick={() => onSelect(selected === name ? null : name)}>
                    <Group gap={6} wrap="nowrap">
                      <span className="quire-wide"><TypeIcon properties={(type.attributes[name] ?? { type: 'json' }) as Properties} /></span>
                      <Text size="sm" className="quire-ellipsis">{title(name)}</Text>
                    </Group>
                  </UnstyledButton>
                  {!locked && (
                    <>
                      <ActionIcon size="sm" aria-label={t('model.layout.hide', { name })} onClick={() => onChange({ form: form.filter((one) => one.name !== name) })}>
                        <X size={13} />
                      </ActionIcon>
                      <button
                        type="button"
                        className="quire-grid-resize"
                        aria-label={t('model.layout.resize', { name })}
                        onPointerDown={(event) => drag(event, name, size)}
                        onKeyDown={(event) => {
                          if (event.key === 'ArrowRight') resize(name, size + 1)
                          if (event.key === 'ArrowLeft') resize(name, size - 1)
                        }}
                      />
                    </>
                  )}
                </Group>
              </SortableItem>
            </Box>
          ))}
        </SortableList>
      </div>
      {!locked && hidden.length > 0 && (
        <Select
          size="xs"
          maw={240}
          aria-label={t('model.layout.addField')}
          placeholder={t('model.layout.addField')}
          data={hidden}
          value={null}
          onChange={(name) => name && onChange({ form: [...form, { name, size: 6 }] })}
        />
      )}
    </Stack>
  )
}
