import { Autocomplete, Button, Code, Group, Paper, Stack, Switch, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyModelButton } from './CopyModelButton'
import { apiPath, isLocalizedModel, isOwn, typeUid, type DraftModel } from './draft'
import { removeModel, setUid } from './edits'
import { componentUid, type Problem } from './names'
import { PublicRead } from './PublicRead'
import { SampleEntries } from './SampleEntries'
import { useBuilder, useDraft } from './store'

type Props = { model: DraftModel; problems: Problem[]; locked: boolean }

/** What a content type or component is called, and what its entries have besides fields. */
export function SettingsTab({ model, problems, locked: unwritable }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const schema = useDraft()
  const locked = unwritable || !isOwn(model)
  const problem = (option: string) => problems.find((one) => !one.fieldId && one.option === option)?.message
  const edit = (recipe: (found: DraftModel) => void, key = '') =>
    useBuilder.getState().change((draft) => {
      const found = draft[model.id]
      if (found) recipe(found)
    }, key && `${model.id} ${key}`)
  const rename = (uid: string, recipe: (found: DraftModel) => void) => {
    // What is typed may be the name of another one on its way: that keeps its uid, and all that leads to it.
    const isTaken = Object.values(schema).some((one) => one.uid === uid && one.id !== model.id)
    useBuilder.getState().change((draft) => {
      const found = draft[model.id]
      if (!found) return
      recipe(found)
      if (!isTaken) setUid(draft, found, uid)
    }, `${model.id} uid`)
    if (!isTaken) void navigate({ to: '/model/$uid', params: { uid }, search: { tab: 'settings' }, replace: true })
  }
  const categories = [...new Set(Object.values(schema).filter((one) => one.isComponent).map((one) => one.category))].sort()
  const remove = () => {
    useBuilder.getState().change((draft) => {
      const found = draft[model.id]
      if (found) removeModel(draft, found)
    })
    void navigate({ to: '/model' })
  }
  return (
    <Stack maw={620} gap="lg">
      {!isOwn(model) && <Text size="sm" c="dimmed">{t('model.head.foreign')}</Text>}
      <Paper withBorder p="md" className="quire-surface">
        <Stack gap="sm">
          <TextInput
            label={t('model.head.displayName')}
            value={model.info.displayName}
            disabled={locked}
            error={problem('displayName')}
            onChange={(event) => {
              const { value } = event.currentTarget
              edit((found) => void (found.info.displayName = value), 'displayName')
            }}
          />
          <Textarea
            label={t('model.head.description')}
            autosize
            minRows={2}
            value={model.info.description ?? ''}
            disabled={locked}
            onChange={(event) => {
              const { value } = event.currentTarget
              edit((found) => void (found.info.description = value), 'description')
            }}
          />
          {model.isComponent ? (
            <Group grow align="flex-start" gap="sm">
              <Autocomplete
                label={t('model.head.category')}
                data={categories}
                value={model.category}
                disabled={locked}
                error={problem('uid')}
                onChange={(value) => rename(componentUid({ ...model, category: value }), (found) => void (found.category = value))}
              />
              <TextInput
                label={t('model.head.componentId')}
                value={model.info.singularName}
                disabled={locked}
                onChange={(event) => {
                  const { value } = event.currentTarget
                  rename(componentUid({ ...model, info: { ...model.info, singularName: value } }), (found) => void (found.info.singularName = value))
                }}
              />
            </Group>
          ) : (
            <>
              <Group grow align="flex-start" gap="sm">
                <TextInput
                  label={t('model.head.singularName')}
                  value={model.info.singularName}
                  disabled={locked}
                  error={problem('singularName')}
                  onChange={(event) => {
                    const { value } = event.currentTarget
                    rename(typeUid(value), (found) => void (found.info.singularName = value))
                  }}
                />
                <TextInput
                  label={t('model.head.pluralName')}
                  value={model.info.pluralName}
                  disabled={locked}
                  error={problem('pluralName')}
                  onChange={(event) => {
                    const { value } = event.currentTarget
                    edit((found) => void (found.info.pluralName = value), 'pluralName')
                  }}
                />
              </Group>
              <Text size="xs" c="dimmed">{t('model.head.idsHint')} <Code fz="xs">{apiPath(model)}</Code></Text>
            </>
          )}
        </Stack>
      </Paper>
      {!model.isComponent && (
        <Paper withBorder p="md" className="quire-surface">
          <Stack gap="md">
            <Switch
              size="sm"
              label={t('model.head.drafts')}
              description={t('model.head.draftsHint')}
              checked={model.options.draftAndPublish === true}
              disabled={locked}
              onChange={(event) => {
                const { checked } = event.currentTarget
                edit((found) => void (found.options.draftAndPublish = checked))
              }}
            />
            <Switch
              size="sm"
              label={t('model.head.localized')}
              description={t('model.head.localizedHint')}
              checked={isLocalizedModel(model)}
              disabled={locked}
              onChange={(event) => {
                const { checked } = event.currentTarget
                edit((found) => {
                  if (checked) found.pluginOptions.i18n = { localized: true }
                  else delete found.pluginOptions.i18n
                })
              }}
            />
            <Switch
              size="sm"
              label={t('model.kind.singleType')}
              description={t('model.head.singleHint')}
              checked={model.kind === 'singleType'}
              disabled={locked}
              onChange={(event) => {
                const { checked } = event.currentTarget
                edit((found) => void (found.kind = checked ? 'singleType' : 'collectionType'))
              }}
            />
          </Stack>
        </Paper>
      )}
      {!model.isComponent && isOwn(model) && <PublicRead model={model} inPanel />}
      <SampleEntries model={model} />
      {!locked && (
        <Paper withBorder p="md" className="quire-surface">
          <Title order={2} mb={4}>{t('model.head.copy')}</Title>
          <Text size="sm" c="dimmed" mb="sm">{t(model.isComponent ? 'model.head.copyComponentHint' : 'model.head.copyHint')}</Text>
          <CopyModelButton model={model} />
        </Paper>
      )}
      {!locked && (
        <Paper withBorder p="md" className="quire-surface">
          <Title order={2} mb={4}>{t('model.head.remove')}</Title>
          <Text size="sm" c="dimmed" mb="sm">{t('model.head.removeHint')}</Text>
          <Button color="red" variant="light" leftSection={<Trash2 size={14} />} onClick={remove}>
            {t('model.head.removeNamed', { name: model.info.displayName })}
          </Button>
        </Paper>
      )}
    </Stack>
  )
}
