import { Alert, Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { configurationQuery, useAbility, useModel } from '../../api/hooks'
import { componentConfigurationQuery, saveComponentConfiguration, saveConfiguration } from '../../api/model'
import type { ContentType, ViewConfiguration } from '../../api/types'
import { ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { queries } from '../../queries'
import type { DraftModel } from '../draft'
import { CellPanel } from './CellPanel'
import { FormGrid } from './FormGrid'
import { ListSettings } from './ListSettings'
import { layoutOf, titleFields, viewBody, type LayoutDraft } from './view'

/** How forms and lists of a type look, or forms of a component. It is saved by itself: the schema files say nothing of it. */
export function LayoutTab({ model, isPending, isNew }: { model: DraftModel; isPending: boolean; isNew: boolean }) {
  const { t } = useTranslation()
  const { types, components } = useModel()
  const { uid, isComponent } = model
  const type = types.get(uid)
  const attributes = (isComponent ? components.get(uid) : type)?.attributes
  const isKnown = !isNew && attributes !== undefined
  const ofType = useQuery({ ...configurationQuery(uid), enabled: isKnown && !isComponent })
  const ofComponent = useQuery({ ...componentConfigurationQuery(uid), enabled: isKnown && isComponent })
  if (isPending || !isKnown) return <Alert color="gray">{t(isComponent ? 'model.layout.firstComponent' : 'model.layout.first')}</Alert>
  const { error, refetch, dataUpdatedAt } = isComponent ? ofComponent : ofType
  const view = isComponent ? ofComponent.data : ofType.data?.contentType
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (!view) return <Loading />
  return <Layout key={dataUpdatedAt} uid={uid} kind={isComponent ? 'component' : model.kind} attributes={attributes} view={view} />
}

type Kind = ContentType['kind'] | 'component'
const ACTIONS = {
  collectionType: 'plugin::content-manager.collection-types.configure-view',
  singleType: 'plugin::content-manager.single-types.configure-view',
  component: 'plugin::content-manager.components.configure-layout',
} as const

function Layout({ uid, kind, attributes, view }: { uid: string; kind: Kind; attributes: ContentType['attributes']; view: ViewConfiguration }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const type = { attributes }
  const locked = !ability.can(ACTIONS[kind])
  const [saved] = useState(() => layoutOf(view))
  const [draft, setDraft] = useState(saved)
  const [selected, setSelected] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const change = (changed: Partial<LayoutDraft>) => setDraft((before) => ({ ...before, ...changed }))
  const cell = draft.form.find((one) => one.name === selected)
  const save = async () => {
    setBusy(true)
    try {
      await (kind === 'component' ? saveComponentConfiguration : saveConfiguration)(uid, viewBody(draft))
      toast(t('model.layout.saved'))
      await queries.invalidateQueries({ queryKey: ['configuration'] })
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Stack gap="lg">
      {locked && <Text size="sm" c="dimmed">{t('model.layout.noPermission')}</Text>}
      <section>
        <Group justify="space-between" mb="xs">
          <Title order={2}>{t('model.layout.form')}</Title>
          {!locked && (
            <Group gap="xs">
              <Button variant="subtle" disabled={draft === saved} onClick={() => setDraft(saved)}>{t('model.discard')}</Button>
              <Button disabled={draft === saved} loading={busy} onClick={() => void save()}>{t('action.save')}</Button>
            </Group>
          )}
        </Group>
        <Group align="flex-start" gap="md" wrap="wrap">
          <FormGrid type={type} draft={draft} locked={locked} selected={selected} onSelect={setSelected} onChange={change} />
          <CellPanel type={type} draft={draft} cell={cell} locked={locked} onChange={change} />
        </Group>
      </section>
      {kind === 'collectionType' && <ListSettings draft={draft} locked={locked} onChange={change} />}
      {kind === 'component' && (
        <Select
          maw={280}
          label={t('model.layout.componentTitle')}
          description={t('model.layout.componentTitleHint')}
          allowDeselect={false}
          data={titleFields(draft)}
          value={draft.settings.mainField}
          disabled={locked}
          onChange={(mainField) => mainField && change({ settings: { ...draft.settings, mainField } })}
        />
      )}
    </Stack>
  )
}
