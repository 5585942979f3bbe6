import { ActionIcon, Button, Group, Modal, MultiSelect, Stack, Text, Tooltip } from '@mantine/core'
import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MatrixRow } from '../../components/PermissionMatrix'
import { conditionsOf, isGranted, withConditions, type Catalogue, type Grants } from './grants'

/** Conditions of a type's grants, such as that one made the entry oneself. */
export function ConditionsButton({ row, grants, conditions, readOnly, onChange }: {
  row: MatrixRow
  grants: Grants
  conditions: Catalogue['conditions']
  readOnly: boolean
  onChange: (grants: Grants) => void
}) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const granted = row.actions.filter((verb) => isGranted(grants, row.id, verb))
  if (granted.length === 0) return null
  const count = granted.filter((verb) => conditionsOf(grants, row.id, verb).length > 0).length
  return (
    <>
      <Tooltip label={t('conditions.title')}>
        <ActionIcon size="sm" variant={count > 0 ? 'light' : 'subtle'} color={count > 0 ? 'brand' : 'gray'} aria-label={t('conditions.of', { name: row.label })} onClick={() => setOpen(true)}>
          <SlidersHorizontal size={14} />
        </ActionIcon>
      </Tooltip>
      {open && (
        <Modal opened onClose={() => setOpen(false)} title={t('conditions.of', { name: row.label })} closeButtonProps={{ 'aria-label': t('action.close') }}>
          <Stack gap="sm">
            <Text size="sm" c="dimmed">{t('conditions.hint')}</Text>
            {granted.map((verb) => (
              <MultiSelect
                key={verb}
                label={t(`roles.action.${verb as 'read'}`)}
                placeholder={conditionsOf(grants, row.id, verb).length > 0 ? undefined : t('conditions.none')}
                disabled={readOnly}
                value={conditionsOf(grants, row.id, verb)}
                onChange={(value) => onChange(withConditions(grants, row.id, verb, value))}
                data={conditions.map((one) => ({ value: one.id, label: one.displayName }))}
              />
            ))}
            <Group justify="flex-end"><Button onClick={() => setOpen(false)}>{t('action.done')}</Button></Group>
          </Stack>
        </Modal>
      )}
    </>
  )
}
