import { Anchor, Badge, Button, Code, Drawer, Group, SegmentedControl, Stack, Title } from '@mantine/core'
import { useDocumentTitle, useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAbility, useHome, useModel } from '../api/hooks'
import { modelStateQuery, reservedNamesQuery } from '../api/model'
import { EmptyState, Loading } from '../components/States'
import { modelRoute, type ModelTab } from '../router'
import { useScreenLetters } from '../shell/keyboard'
import { AddField } from './AddField'
import { apiPath, modelOf, type DraftModel } from './draft'
import { FieldList } from './FieldList'
import { FieldPanel } from './panel/FieldPanel'
import { SettingsTab } from './SettingsTab'
import { useBuilder, useChanges, useDraft, useProblems } from './store'

const JsonTab = lazy(() => import('./JsonTab').then((module) => ({ default: module.JsonTab })))
const LayoutTab = lazy(() => import('./layout/LayoutTab').then((module) => ({ default: module.LayoutTab })))

/** One content type or component: its fields, layout, settings and schema file. */
export function TypeScreen() {
  const { t } = useTranslation()
  const { uid } = modelRoute.useParams()
  const draft = useDraft()
  const found = modelOf(draft, uid)
  const [shownId, setShownId] = useState(found?.id)
  if (found && found.id !== shownId) setShownId(found.id)
  // While its id is typed, or that is undone, a type has another one than the address.
  const model = found ?? draft[shownId ?? '']
  useDocumentTitle(`${model?.info.displayName ?? t('nav.model')} · Quire`)
  if (!model) return <EmptyState title={t('model.missing')} action={<Button component={Link} to="/model" variant="default">{t('nav.model')}</Button>} />
  return <Screen key={model.id} model={model} />
}

function Screen({ model }: { model: DraftModel }) {
  const { t } = useTranslation()
  const { tab = 'fields' } = modelRoute.useSearch()
  const navigate = useNavigate()
  const changes = useChanges().filter((change) => change.modelId === model.id)
  const problems = useProblems(useQuery(reservedNamesQuery).data).filter((problem) => problem.modelId === model.id)
  const locked = useQuery(modelStateQuery).data?.writable === false
  const isNew = changes.some((change) => change.kind === 'addModel')
  // A type that was just made has no field yet, and wants one.
  const [adding, setAdding] = useState(isNew && model.fields.length === 0 && tab === 'fields' && !locked)
  const selected = useBuilder((state) => state.selected)
  const field = tab === 'fields' ? model.fields.find((one) => one.id === selected) : undefined
  const isNarrow = useMediaQuery('(max-width: 75em)', false, { getInitialValueInEffect: false })
  const isShown = useModel().types.get(model.uid)
  const tabs: ModelTab[] = ['fields', 'layout', 'settings', 'json']
  const close = () => useBuilder.getState().select(null)
  const addNext = () => {
    if (isNarrow) close()
    setAdding(true)
  }
  useScreenLetters([['c', () => !locked && tab === 'fields' && setAdding(true)]])
  const panel = field && (
    <FieldPanel
      key={field.id}
      model={model}
      field={field}
      problems={Object.fromEntries(problems.filter((one) => one.fieldId === field.id).map((one) => [one.option, one.message]))}
      locked={locked || field.properties.configurable === false}
      unwritable={locked}
      onClose={close}
      onNext={addNext}
    />
  )
  return (
    <Group align="stretch" gap={0} wrap="nowrap" flex={1} miw={0} style={{ minHeight: 0 }}>
      <Stack flex={1} miw={0} p="md" gap="sm" className="quire-scroll">
        <Group justify="space-between" gap="sm">
          <Group gap="sm" miw={0}>
            <Title order={1} className="quire-ellipsis">{model.info.displayName}</Title>
            {isNew && <Badge color="green" variant="light" tt="none">{t('model.mark.addField')}</Badge>}
            <Code fz="xs" className="quire-wide">{model.isComponent ? model.uid : apiPath(model)}</Code>
            {isShown && !isNew && <Entries uid={model.uid} kind={model.kind} />}
          </Group>
          <Group gap="xs">
            <SegmentedControl
              size="xs"
              aria-label={t('model.tabs')}
              value={tab}
              onChange={(value) => void navigate({ to: '/model/$uid', params: { uid: model.uid }, search: value === 'fields' ? {} : { tab: value as ModelTab } })}
              data={tabs.map((value) => ({ value, label: t(`model.tab.${value}`) }))}
            />
            {tab === 'fields' && !locked && <AddField model={model} opened={adding} onOpen={setAdding} />}
          </Group>
        </Group>
        {tab === 'fields' && model.fields.length === 0 && (
          <EmptyState
            title={t('model.empty')}
            action={!locked && <Button variant="default" leftSection={<Plus size={14} />} onClick={() => setAdding(true)}>{t('model.addFirst')}</Button>}
          >
            {t('model.emptyHint')}
          </EmptyState>
        )}
        {tab === 'fields' && model.fields.length > 0 && <FieldList model={model} changes={changes} problems={problems} locked={locked} />}
        {tab === 'settings' && <SettingsTab model={model} problems={problems} locked={locked} />}
        <Suspense fallback={<Loading />}>
          {tab === 'json' && <JsonTab model={model} locked={locked} />}
          {tab === 'layout' && <LayoutTab model={model} isPending={changes.length > 0} isNew={isNew} />}
        </Suspense>
      </Stack>
      {panel && !isNarrow && <div className="quire-model-panel quire-scroll">{panel}</div>}
      {isNarrow && (
        <Drawer.Root opened={panel !== undefined} onClose={close} position="right" size={360} padding={0}>
          <Drawer.Overlay />
          <Drawer.Content aria-label={t('model.panel')}>{panel}</Drawer.Content>
        </Drawer.Root>
      )}
    </Group>
  )
}

/** How many entries there are; leads to them. */
function Entries({ uid, kind }: { uid: string; kind: DraftModel['kind'] }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const count = useHome().data?.types.find((type) => type.uid === uid)?.count
  if (!ability.canContent('read', uid)) return null
  const isMany = kind === 'collectionType'
  return (
    <Anchor component={Link} to={`/content/${uid}`} size="sm" className="quire-wide" style={{ whiteSpace: 'nowrap' }}>
      {isMany && count !== undefined ? t('model.entries', { count }) : t('model.editEntry')}
    </Anchor>
  )
}
