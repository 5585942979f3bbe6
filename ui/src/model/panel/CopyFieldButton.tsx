import { ActionIcon, Button, Group, Modal, Select, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { reservedNamesQuery } from '../../api/model'
import { canHold, fittedProperties, freeName } from '../copies'
import { byName, isOwn, type DraftField } from '../draft'
import { addField } from '../edits'
import { asFieldName, fieldNameProblem } from '../names'
import { useBuilder, useDraft } from '../store'

/** The same field in this or another content type or component. */
export function CopyFieldButton({ field }: { field: DraftField }) {
  const { t } = useTranslation()
  const [opened, { open, close }] = useDisclosure()
  const label = t('model.field.copyNamed', { name: field.name })
  return (
    <>
      <Tooltip label={t('model.field.copy')}>
        <ActionIcon aria-label={label} onClick={open}><Copy size={16} /></ActionIcon>
      </Tooltip>
      <Modal opened={opened} onClose={close} title={label} closeButtonProps={{ 'aria-label': t('action.close') }}>
        {opened && <CopyForm field={field} onClose={close} />}
      </Modal>
    </>
  )
}

function CopyForm({ field, onClose }: { field: DraftField; onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const reserved = useQuery(reservedNamesQuery).data ?? { models: [], attributes: [] }
  const targets = Object.values(useDraft()).filter((one) => isOwn(one) && canHold(one, field)).sort(byName)
  const [id, setId] = useState<string | null>(null)
  const [typed, setTyped] = useState<string>()
  const target = targets.find((one) => one.id === id)
  const name = asFieldName(typed ?? (target ? freeName(target, field.name) : field.name))
  const problem = target && fieldNameProblem(target, { id: '', name }, reserved)
  const items = (isComponent: boolean) =>
    targets.filter((one) => one.isComponent === isComponent).map((one) => ({ value: one.id, label: one.info.displayName }))
  const copy = () => {
    if (!target || problem) return
    useBuilder.getState().change((draft) => {
      const owner = draft[target.id]
      if (owner) addField(owner, name, fittedProperties(field.properties, owner))
    })
    const made = useBuilder.getState().draft[target.id]?.fields.at(-1)
    onClose()
    void navigate({ to: '/model/$uid', params: { uid: target.uid } }).then(() => made && useBuilder.getState().select(made.id))
  }
  return (
    <form onSubmit={(event) => { event.preventDefault(); event.stopPropagation(); copy() }}>
      <Stack gap="sm">
        <Select
          data-autofocus
          searchable
          label={t('model.field.copyInto')}
          data={[{ group: t('model.tree.types'), items: items(false) }, { group: t('model.tree.component'), items: items(true) }]}
          value={id}
          onChange={setId}
        />
        <TextInput label={t('model.option.name')} value={typed ?? name} error={problem} onChange={(event) => setTyped(event.currentTarget.value)} />
        {field.properties.targetAttribute && <Text size="sm" c="dimmed">{t('model.copy.oneWay', { count: 1, names: field.name })}</Text>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" disabled={!target || problem !== undefined}>{t('model.field.copy')}</Button>
        </Group>
      </Stack>
    </form>
  )
}
