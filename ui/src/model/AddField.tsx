import { Button, Combobox, Group, Popover, ScrollArea, Text, TextInput, useCombobox } from '@mantine/core'
import { Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useModel } from '../api/hooks'
import { BUILDERS, builderOf } from '../fields/builder'
import { byName, isLocalizedModel, type DraftModel, type Properties } from './draft'
import { addField } from './edits'
import { asFieldName } from './names'
import { TypeIcon } from './TypeIcon'
import { useBuilder, useDraft } from './store'

type Choice = { id: string; label: string; use: string; properties: Properties; name: string; words: string }

/** All types with what they are for; the name of a content type finds a relation to it. */
export function AddField({ model, opened, onOpen }: { model: DraftModel; opened: boolean; onOpen: (opened: boolean) => void }) {
  const { t } = useTranslation()
  return (
    <Popover opened={opened} onChange={onOpen} position="bottom-end" width="min(400px, 100vw - 24px)" trapFocus returnFocus={false}>
      <Popover.Target>
        <Button leftSection={<Plus size={14} />} onClick={() => onOpen(!opened)}>{t('model.addField')}</Button>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label={t('model.addField')}>
        {opened && <Choices model={model} onDone={() => onOpen(false)} />}
      </Popover.Dropdown>
    </Popover>
  )
}

function Choices({ model, onDone }: { model: DraftModel; onDone: () => void }) {
  const { t } = useTranslation()
  const schema = useDraft()
  const [query, setQuery] = useState('')
  const combobox = useCombobox({ opened: true })
  const words = query.trim().toLowerCase()
  const matches = (choice: Choice) => choice.words.toLowerCase().includes(words)
  const types: Choice[] = Object.entries(BUILDERS)
    .filter(([, builder]) => !(model.isComponent && builder.notInComponents))
    .map(([type, builder]) => ({
      id: type,
      label: t(builder.label),
      use: t(builder.use),
      properties: builder.initial,
      name: '',
      words: `${t(builder.label)} ${t(builder.use)} ${type}`,
    }))
  const { attributeTypes } = useModel()
  const custom: Choice[] = attributeTypes.map(({ name, stores }) => ({
    id: `quire:${name}`,
    label: name,
    use: t('model.add.custom', { type: stores }),
    properties: { type: stores, pluginOptions: { quire: { type: name } } },
    name: '',
    words: name,
  }))
  const models: Choice[] =
    words === ''
      ? []
      : Object.values(schema)
          .sort(byName)
          .filter((one) => one.isComponent ? one.id !== model.id : one.kind === 'collectionType')
          .map((one) => ({
            id: one.uid,
            label: t(one.isComponent ? 'model.add.component' : 'model.add.relation', { name: one.info.displayName }),
            use: one.uid,
            properties: one.isComponent
              ? { type: 'component', component: one.uid, repeatable: false }
              : { type: 'relation', relation: model.isComponent ? 'oneToOne' : 'manyToOne', target: one.uid, targetAttribute: null },
            name: asFieldName(one.info.singularName.replace(/-/g, ' ')),
            words: `${one.info.displayName} ${one.uid}`,
          }))
  // A label that begins with what was typed is meant more likely than a word in an explanation.
  const rank = (choice: Choice) => (choice.label.toLowerCase().startsWith(words) ? 0 : choice.label.toLowerCase().includes(words) ? 1 : 2)
  const shown = [...types, ...custom, ...models].filter(matches).sort((a, b) => (words ? rank(a) - rank(b) : 0))

  const add = (id: string) => {
    const choice = shown.find((one) => one.id === id)
    if (!choice) return
    const properties: Properties = { ...choice.properties }
    if (isLocalizedModel(model) && !builderOf(properties).perLocale) properties.pluginOptions = { ...properties.pluginOptions, i18n: { localized: true } }
    useBuilder.getState().change((draft) => {
      const owner = draft[model.id]
      if (!owner) return
      const taken = owner.fields.some((field) => field.name === choice.name)
      addField(owner, taken ? '' : choice.name, properties)
    })
    const field = useBuilder.getState().draft[model.id]?.fields.at(-1)
    onDone()
    if (field) useBuilder.getState().select(field.id, true)
  }
  return (
    <Combobox store={combobox} onOptionSubmit={add} withinPortal={false}>
      <Combobox.EventsTarget>
        <TextInput
          data-autofocus
          variant="unstyled"
          px="sm"
          leftSection={<Search size={14} />}
          placeholder={t('model.add.search')}
          aria-label={t('model.add.search')}
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value)
            combobox.updateSelectedOptionIndex('selected')
            setTimeout(() => combobox.selectFirstOption())
          }}
          onFocus={() => setTimeout(() => combobox.selectFirstOption())}
        />
      </Combobox.EventsTarget>
      <ScrollArea.Autosize mah={380} type="auto" style={{ borderTop: '1px solid var(--quire-hairline)' }} viewportProps={{ tabIndex: 0 }}>
        <Combobox.Options p={4} aria-label={t('model.addField')}>
          {shown.map((choice) => (
            <Combobox.Option key={choice.id} value={choice.id} py={6} className="quire-choice">
              <Group gap="sm" wrap="nowrap">
                <TypeIcon properties={choice.properties} />
                <div style={{ minWidth: 0 }}>
                  <Text size="sm" fw={500}>{choice.label}</Text>
                  <Text size="xs" c="dimmed" className="quire-ellipsis">{choice.use}</Text>
                </div>
              </Group>
            </Combobox.Option>
          ))}
          {shown.length === 0 && <Combobox.Empty>{t('model.add.nothing')}</Combobox.Empty>}
        </Combobox.Options>
      </ScrollArea.Autosize>
    </Combobox>
  )
}
