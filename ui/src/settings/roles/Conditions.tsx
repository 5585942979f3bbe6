import { ActionIcon, Button, Group, Modal, MultiSelect, Stack, Text, Tooltip } from '@mantine/core'
import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { namesOfConditions, type Catalogue } from './grants'

/** An action that a role grants, with the conditions that it has. */
type GrantedAction = { id: string; label: string; conditions: string[] }

/** Conditions of what a role grants, such as that one made the entry oneself. */
export function ConditionsButton({ name, granted, conditions, readOnly, onChange }: {
  name: string
  granted: GrantedAction[]
  conditions: Catalogue['conditions']
  readOnly: boolean
  onChange: (id: string, conditions: string[]) => void
}) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  if (granted.length === 0) return null
  const limited = granted.filter((one) => one.conditions.length > 0)
  const summary = limited.map((one) => `${one.label}: ${namesOfConditions(one.conditions, conditions)}`).join(' · ')
  return (
    <>
      <Tooltip label={summary || t('conditions.title')} multiline maw={360}>
        <ActionIcon size="sm" variant={summary ? 'light' : 'subtle'} color={summary ? 'brand' : 'gray'} aria-label={t('conditions.of', { name })} onClick={() => setOpen(true)}>
          <SlidersHorizontal size={14} />
        </ActionIcon>
      </Tooltip>
      {open && (
        <Modal opened onClose={() => setOpen(false)} title={t('conditions.of', { name })} closeButtonProps={{ 'aria-label': t('action.close') }}>
          <Stack gap="sm">
            <Text size="sm" c="dimmed">{t('conditions.hint')}</Text>
            {granted.map((one) => (
              <MultiSelect
                key={one.id}
                label={one.label}
                placeholder={one.conditions.length > 0 ? undefined : t('conditions.none')}
                disabled={readOnly}
                value={one.conditions}
                onChange={(value) => onChange(one.id, value)}
                data={conditions.map(({ id, displayName }) => ({ value: id, label: displayName }))}
              />
            ))}
            <Group justify="flex-end"><Button onClick={() => setOpen(false)}>{t('action.done')}</Button></Group>
          </Stack>
        </Modal>
      )}
    </>
  )
}
