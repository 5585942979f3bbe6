import { Autocomplete, Button, Group, Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { reservedNamesQuery } from '../api/model'
import { copiedFields } from './copies'
import { apiPath, isLocalizedModel, typeUid, without, type DraftModel, type DraftSchema } from './draft'
import { addModel } from './edits'
import { componentUidProblem, kebab, plural, typeNameProblems } from './names'
import { useBuilder, useDraft } from './store'

export type NewKind = 'collectionType' | 'singleType' | 'component'

type Props = {
  kind: NewKind | null
  category?: string
  /** What the new one is a copy of. */
  copyOf?: DraftModel
  title?: string
  /** What is told besides. */
  children?: ReactNode
  onClose: () => void
  /** What else changes in the same step. */
  recipe?: (draft: DraftSchema, made: DraftModel) => void
  onMade: (made: DraftModel) => void
}

/** A new content type or component: a name is enough, the ids follow from it. */
export function NewModelDialog({ kind, onClose, onMade, title, ...props }: Props) {
  const { t } = useTranslation()
  // The screen of what was made takes the focus, with its first field.
  const [isMade, setMade] = useState(false)
  const cancel = () => {
    setMade(false)
    onClose()
  }
  const finish = (made: DraftModel) => {
    setMade(true)
    onClose()
    onMade(made)
  }
  return (
    <Modal opened={kind !== null} onClose={cancel} returnFocus={!isMade} title={title ?? (kind ? t(`model.new.${kind}`) : '')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      {kind && <NewModelForm key={kind} kind={kind} onClose={cancel} onMade={finish} {...props} />}
    </Modal>
  )
}

function NewModelForm({ kind, category: given, copyOf, children, onClose, recipe, onMade }: Omit<Props, 'title' | 'kind'> & { kind: NewKind }) {
  const { t } = useTranslation()
  const schema = useDraft()
  const reserved = useQuery(reservedNamesQuery).data ?? { models: [], attributes: [] }
  const [displayName, setDisplayName] = useState('')
  const [ids, setIds] = useState<{ singularName?: string; pluralName?: string; name?: string }>({})
  const [type, setType] = useState<'collectionType' | 'singleType'>(kind === 'singleType' ? kind : 'collectionType')
  const [category, setCategory] = useState(given ?? copyOf?.category ?? 'shared')
  const [drafts, setDrafts] = useState(copyOf ? copyOf.options.draftAndPublish === true : true)
  const [localized, setLocalized] = useState(copyOf ? isLocalizedModel(copyOf) : false)
  const isComponent = kind === 'component'
  const id = kebab(displayName)
  const names = { singularName: ids.singularName ?? id, pluralName: ids.pluralName ?? (id && plural(id)) }
  const uid = isComponent ? `${kebab(category)}.${id}` : typeUid(names.singularName)
  const problems = typeNameProblems(schema, undefined, names, reserved)
  const uidProblem = isComponent ? componentUidProblem(schema, undefined, uid) : undefined
  const isWrong = displayName.trim() === '' || (isComponent ? uidProblem !== undefined : Boolean(problems.singularName ?? problems.pluralName))
  const typed = displayName !== ''
  const categories = [...new Set(Object.values(schema).filter((one) => one.isComponent).map((one) => one.category))].sort()

  const make = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (isWrong) return
    const model: Omit<DraftModel, 'id'> = {
      uid,
      isComponent,
      kind: type,
      category: isComponent ? kebab(category) : '',
      info: {
        ...(copyOf && { description: copyOf.info.description, icon: copyOf.info.icon }),
        displayName: displayName.trim(),
        ...(isComponent ? { singularName: id, pluralName: '' } : names),
      },
      options: isComponent ? {} : { ...copyOf?.options, draftAndPublish: drafts },
      pluginOptions: { ...without(copyOf?.pluginOptions ?? {}, ['i18n']), ...(localized ? { i18n: { localized: true } } : {}) },
      fields: copyOf ? copiedFields(copyOf, uid) : [],
      ...(copyOf && !isComponent ? { copyOf: copyOf.uid } : {}),
    }
    useBuilder.getState().change((draft) => {
      const made = addModel(draft, model)
      recipe?.(draft, made)
    })
    const made = Object.values(useBuilder.getState().draft).find((one) => one.uid === uid)
    if (made) onMade(made)
    else onClose()
  }
  return (
    <form onSubmit={make}>
      <Stack gap="sm">
        <TextInput
          data-autofocus
          label={t('model.head.displayName')}
          placeholder={t(isComponent ? 'model.new.componentExample' : 'model.new.typeExample')}
          value={displayName}
          onChange={(event) => setDisplayName(event.currentTarget.value)}
          error={isComponent && typed ? uidProblem : undefined}
        />
        {isComponent ? (
          <Autocomplete label={t('model.head.category')} data={categories} value={category} onChange={setCategory} />
        ) : (
          <>
            <Group grow gap="sm" align="flex-start">
              {(['singularName', 'pluralName'] as const).map((name) => (
                <TextInput
                  key={name}
                  label={t(`model.head.${name}`)}
                  value={names[name]}
                  onChange={(event) => setIds({ ...ids, [name]: event.currentTarget.value })}
                  error={typed ? problems[name] : undefined}
                />
              ))}
            </Group>
            <Select
              label={t('model.head.kind')}
              allowDeselect={false}
              data={(['collectionType', 'singleType'] as const).map((value) => ({ value, label: t(`model.kind.${value}`) }))}
              value={type}
              onChange={(value) => setType(value as typeof type)}
            />
            <Switch size="sm" label={t('model.head.drafts')} checked={drafts} onChange={(event) => setDrafts(event.currentTarget.checked)} />
            <Switch size="sm" label={t('model.head.localized')} checked={localized} onChange={(event) => setLocalized(event.currentTarget.checked)} />
          </>
        )}
        {children}
        <Group justify="space-between" mt="xs">
          <Text size="xs" c="dimmed" ff="monospace">
            {isComponent ? uid : typed && apiPath({ kind: type, info: { displayName, ...names } } as DraftModel)}
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" disabled={isWrong}>{t('action.continue')}</Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}
