import { ActionIcon, Button, Group, MultiSelect, SegmentedControl, Select, Stack, Text, Tooltip } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ExternalLink, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { byName, modelOf, type DraftModel, type DraftSchema } from '../draft'
import { NewModelDialog } from '../NewModelDialog'
import { useDraft } from '../store'
import { setOptions, type OptionProps } from './edit'

/** Components by category, as selects group them; a component cannot hold itself. */
function componentChoices(schema: DraftSchema, model: DraftModel) {
  const components = Object.values(schema).filter((one) => one.isComponent && one.id !== model.id).sort(byName)
  const categories = [...new Set(components.map((one) => one.category))].sort()
  return categories.map((group) => ({
    group,
    items: components.filter((one) => one.category === group).map((one) => ({ value: one.uid, label: one.info.displayName })),
  }))
}

export function ComponentOption(props: OptionProps) {
  const { t } = useTranslation()
  const schema = useDraft()
  const navigate = useNavigate()
  const { component, repeatable } = props.field.properties
  const chosen = modelOf(schema, component)
  return (
    <Stack gap="sm">
      <Group gap={4} align="flex-end" wrap="nowrap">
        <Select
          flex={1}
          label={t('model.option.component')}
          searchable
          data={componentChoices(schema, props.model)}
          value={component || null}
          disabled={props.locked}
          error={props.problems.component}
          onChange={(uid) => uid && setOptions(props, { component: uid })}
        />
        {chosen && (
          <Tooltip label={t('model.component.open', { name: chosen.info.displayName })}>
            <ActionIcon size={36} aria-label={t('model.component.open', { name: chosen.info.displayName })} onClick={() => void navigate({ to: '/model/$uid', params: { uid: chosen.uid } })}>
              <ExternalLink size={15} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
      <NewComponentButton locked={props.locked} onMade={(made) => setOptions(props, { component: made.uid })} />
      <div>
        <Text size="sm" fw={500} mb={4} id={`repeat-${props.field.id}`}>{t('model.option.repeatable')}</Text>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-labelledby={`repeat-${props.field.id}`}
          disabled={props.locked}
          value={repeatable ? 'many' : 'one'}
          onChange={(value) => setOptions(props, { repeatable: value === 'many' })}
          data={[{ value: 'one', label: t('model.component.one') }, { value: 'many', label: t('model.component.many') }]}
        />
      </div>
    </Stack>
  )
}

export function ComponentsOption(props: OptionProps) {
  const { t } = useTranslation()
  const schema = useDraft()
  const components = props.field.properties.components ?? []
  return (
    <Stack gap="sm">
      <MultiSelect
        label={t('model.option.components')}
        searchable
        data={componentChoices(schema, props.model)}
        value={components}
        disabled={props.locked}
        error={props.problems.components}
        onChange={(uids) => setOptions(props, { components: uids })}
      />
      <NewComponentButton locked={props.locked} onMade={(made) => setOptions(props, { components: [...components, made.uid] })} />
    </Stack>
  )
}

function NewComponentButton({ locked, onMade }: { locked: boolean; onMade: (made: DraftModel) => void }) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  if (locked) return null
  return (
    <div>
      <Button variant="default" size="compact-xs" leftSection={<Plus size={12} />} onClick={() => setOpened(true)}>
        {t('model.component.new')}
      </Button>
      <NewModelDialog kind={opened ? 'component' : null} onClose={() => setOpened(false)} onMade={onMade} />
    </div>
  )
}
