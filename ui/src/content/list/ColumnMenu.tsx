import { ActionIcon, Button, Group, Popover, ScrollArea, SegmentedControl, Stack, Switch, Tooltip } from '@mantine/core'
import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { labelOf, useAbility, useConfiguration } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import { computedFields } from './fields'
import type { Density } from './ListTable'

/** Which columns a list shows, and in which order. */
export function ColumnMenu({ type, shown, density, onDensity, onChange }: { type: ContentType; shown: string[]; density: Density; onDensity: (density: Density) => void; onChange: (names: string[] | undefined) => void }) {
  const { t } = useTranslation()
  const view = useConfiguration(type.uid).contentType
  const ability = useAbility()
  const attributes = Object.entries(type.attributes)
    .filter(([name, attribute]) => name !== 'localizations' && name !== 'locale' && name !== 'publishedAt' && attribute.type !== 'password' && (['id', 'documentId', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'].includes(name) || (attribute.visible !== false && ability.canField('read', type.uid, name))))
    .map(([name]) => name)
  const names = [...attributes, ...computedFields(type, view)]
  const move = (name: string, by: 1 | -1) => {
    const at = shown.indexOf(name)
    const to = at + by
    if (to < 0 || to >= shown.length) return
    const next = [...shown]
    next.splice(at, 1)
    next.splice(to, 0, name)
    onChange(next)
  }
  const ordered = [...shown.filter((name) => names.includes(name)), ...names.filter((name) => !shown.includes(name))]
  return (
    <Popover position="bottom-start" width={280} trapFocus withinPortal>
      <Popover.Target>
        <Button variant="default" leftSection={<Columns3 size={13} />}>{t('list.columns')}</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ScrollArea.Autosize mah={360}>
          <Stack gap={6}>
            {ordered.map((name) => {
              const isShown = shown.includes(name)
              const label = labelOf(view, name, 'list')
              return (
                <Group key={name} gap={4} wrap="nowrap">
                  <Switch
                    size="xs"
                    style={{ flex: 1 }}
                    label={label}
                    checked={isShown}
                    disabled={isShown && shown.length === 1}
                    onChange={() => onChange(isShown ? shown.filter((one) => one !== name) : [...shown, name])}
                  />
                  {isShown && (
                    <>
                      <Tooltip label={t('list.columnLeft')}><ActionIcon size="xs" aria-label={t('list.columnLeftNamed', { name: label })} onClick={() => move(name, -1)}><ArrowUp size={12} /></ActionIcon></Tooltip>
                      <Tooltip label={t('list.columnRight')}><ActionIcon size="xs" aria-label={t('list.columnRightNamed', { name: label })} onClick={() => move(name, 1)}><ArrowDown size={12} /></ActionIcon></Tooltip>
                    </>
                  )}
                </Group>
              )
            })}
          </Stack>
        </ScrollArea.Autosize>
        <SegmentedControl
          mt="xs"
          size="xs"
          fullWidth
          aria-label={t('list.density')}
          value={density}
          onChange={(value) => onDensity(value as Density)}
          data={(['compact', 'normal', 'comfortable'] as const).map((value) => ({ value, label: t(`list.density.${value}`) }))}
        />
        <Button mt="xs" variant="subtle" size="compact-xs" onClick={() => onChange(undefined)}>{t('list.columnsReset')}</Button>
      </Popover.Dropdown>
    </Popover>
  )
}
