import { Alert, Box, Button, Drawer, Grid, Group, Paper, Stack, Text } from '@mantine/core'
import { useDocumentTitle, useHotkeys, type HotkeyItem } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { hasDrafts, isLocalized, labelOf, useAbility, useLocales, useMe, useModel } from '../../api/hooks'
import type { ContentType, Entry, TypeConfiguration } from '../../api/types'
import { RelativeTime } from '../../components/RelativeTime'
import { toast } from '../../components/toast'
import { hiddenNames } from '../../fields/conditions'
import { FieldSlot } from '../../fields/shared/FieldSlot'
import { useStageRequirement } from '../../review/useStageRequirement'
import { useScreenHotkeys } from '../../shell/keyboard'
import { CompareForm } from '../compare/CompareForm'
import { NewLocale } from '../compare/NewLocale'
import { defaultOther, otherOf } from '../compare/versions'
import { previewsQuery } from '../preview/previewUrl'
import { ConflictDialog } from './ConflictDialog'
import { EntryHeader } from './EntryHeader'
import { Inspector } from './Inspector'
import { useTopLevel } from './layers'
import type { Loaded } from './loading'
import { NextMissing } from './NextMissing'
import { goToFirstProblem, Problems } from './Problems'
import { EntryScopeContext, type EntryScope } from './scope'
import type { Place } from './place'
import { createEditorStore, EditorContext, isUnsaved, type EditorStore, type Values } from './store'
import { useAutosave, useAutosaveSetting } from './useAutosave'
import { useEntryActions } from './useEntryActions'
import { useUnsavedInput } from './useUnsavedInput'
import { editable, initialValues, valuesOf } from './values'

const PreviewPane = lazy(() => import('../preview/PreviewPane').then((module) => ({ default: module.PreviewPane })))

type Props = {
  type: ContentType
  configuration: TypeConfiguration
  locale: string | undefined
  place: Place
  initial: Loaded
  copied: Entry | null
  given?: Values
  /** A new entry was saved for the first time. */
  onMade: (made: Loaded) => void | Promise<void>
  onSaved?: (entry: Entry) => void
}

/** The form of one entry in one locale. */
export function EntryForm({ type, configuration, locale, place, initial, copied, given, onMade, onSaved }: Props) {
  const { t } = useTranslation()
  const model = useModel()
  const me = useMe()
  const ability = useAbility()
  const locales = useLocales()
  const [loaded, setLoaded] = useState(initial)
  const [store] = useState<EditorStore>(() => {
    const made = createEditorStore(initial.entry ? valuesOf(initial.entry, type, model) : beginning(type, model, initial))
    if (copied) made.getState().restore(copyOf(copied, type, model))
    if (given) made.getState().restore(given)
    return made
  })
  const isSingle = type.kind === 'singleType'
  // Only what the whole form depends on: a key press renders the field that it is for, and no other.
  const view = configuration.contentType
  const main = view.settings.mainField
  const isDirty = useStore(store, isUnsaved)
  const mainText = useStore(store, (state) => String(state.values[main] ?? ''))
  const hidden = useStore(store, (state) => hiddenNames(type.attributes, state.values).join(' ')).split(' ')
  const { entry, documentId } = loaded
  const isNew = entry === null

  const unsaved = useUnsavedInput(store, { user: me.id, uid: type.uid, documentId: isSingle ? 'single' : (documentId ?? 'create'), locale })
  const take = (next: Loaded) => {
    setLoaded(next)
    if (next.entry) onSaved?.(next.entry)
  }
  const root = useRef<HTMLDivElement>(null)
  // Parts with problems are opened first.
  const toFirstProblem = () => window.setTimeout(() => root.current && goToFirstProblem(Object.keys(store.getState().errors), root.current))
  const actions = useEntryActions({ type, model, locale, place, store, loaded, onLoaded: take, onMade, onSaved: unsaved.saved, onProblems: toFirstProblem })
  const blocker = useBlocker({ shouldBlockFn: () => isDirty, withResolver: true, enableBeforeUnload: () => isDirty })

  const isFirst = isNew && loaded.others.length === 0
  const newTitle = isFirst ? t('entry.new', { type: type.info.displayName }) : t('entry.newVersion', { locale: locales.find((one) => one.code === locale)?.name ?? locale ?? '' })
  const title = mainText || (isNew ? newTitle : isSingle ? type.info.displayName : t('entry.untitled'))
  useDocumentTitle(place.level === 0 ? `${title} · Quire` : '')

  const mayWrite = ability.canContent(isNew ? 'create' : 'update', type.uid, locale)
  const mayPublish = hasDrafts(type) && ability.canContent('publish', type.uid, locale)
  const stageRequirement = useStageRequirement(type.uid, isNew ? null : documentId, isLocalized(type) ? locale : undefined)
  const autosave = useAutosaveSetting(type.uid)
  useAutosave({ store, actions, enabled: autosave.isOn && mayWrite && hasDrafts(type) })
  const save = () => void (mayWrite && actions.save())
  const publish = () => {
    if (!mayPublish) return
    if (stageRequirement) toast(stageRequirement)
    else void actions.publish()
  }
  /** Keys are those of the form on top. */
  const onTop = (act: () => void) => () => {
    if (useTopLevel.getState().top === place.level) act()
  }
  const [aside, setAside] = useState<HTMLDivElement | null>(null)
  /** Go to the inspector where it stands beside the form; open or close it elsewhere. */
  const toInspector = () => {
    const tab = aside?.checkVisibility() ? aside.querySelector<HTMLElement>('[role=tab][aria-selected=true]') : null
    if (tab) tab.focus()
    else setInspecting((isOpen) => !isOpen)
  }
  // By the place of the keys: with Alt, some layouts have other characters there.
  const localeKeys = (isLocalized(type) ? locales : []).slice(0, 9).map(
    ({ code }, index): HotkeyItem => [`alt+Digit${index + 1}`, onTop(() => code !== locale && void place.open({ documentId: isSingle ? null : (documentId ?? 'create'), locale: code })), { usePhysicalKeys: true }],
  )
  useHotkeys(
    [
      ['mod+S', onTop(save)],
      ['mod+.', onTop(() => !isNew && place.compare && toInspector())],
    ],
    [],
    true,
  )
  useScreenHotkeys(
    [
      ['mod+shift+P', onTop(publish)],
      ['mod+\\', onTop(() => place.compare?.choose(place.compare.name ? undefined : defaultOther(loaded)))],
      ...localeKeys,
    ],
    [],
    true,
    root,
  )
  // Editors of rich text and JSON undo by themselves.
  useScreenHotkeys(
    [
      ['mod+Z', onTop(() => store.getState().undo())],
      ['mod+shift+Z', onTop(() => store.getState().redo())],
    ],
    [],
    false,
    root,
  )
  const beginsHere = place.level > 0 || initial.documentId === null
  useEffect(() => {
    // On a page, the focus is taken from nothing else, and no keyboard of a touch screen comes up.
    const isFree = () => document.activeElement?.matches('body, main, h1') && !window.matchMedia('(pointer: coarse)').matches
    if (!beginsHere) return
    // After the drawer has put the focus on its first button.
    const timer = window.setTimeout(() => {
      if (place.level > 0 || isFree()) root.current?.querySelector<HTMLElement>('input:not([type=hidden]), textarea')?.focus()
    })
    return () => window.clearTimeout(timer)
  }, [place.level, beginsHere])
  const [closing, setClosing] = useState(false)
  const [inspecting, setInspecting] = useState(false)
  const [previewing, setPreviewing] = useState(false)
  const previews = useQuery(previewsQuery).data
  useEffect(() => {
    place.drawer?.guard(() => {
      const mayClose = !isUnsaved(store.getState())
      setClosing(!mayClose)
      return mayClose
    })
    return () => place.drawer?.guard(null)
  }, [place, store])

  const isPublished = entry?.status === 'published' || entry?.status === 'modified'
  const scope: EntryScope = useMemo(
    () => ({ uid: type.uid, type, configuration, documentId: isNew ? null : documentId, isPublished, locale, status: 'draft', level: place.level }),
    [type, configuration, documentId, isPublished, locale, isNew, place.level],
  )
  const home = locales.find((one) => one.isDefault)
  const isSecond = isLocalized(type) && home && locale !== home.code && loaded.others.some((one) => one.locale === home.code)
  const lockOf = (name: string): string | undefined => {
    if (!ability.canField(isNew ? 'create' : 'update', type.uid, name) || !mayWrite) return t('field.noPermission')
    if (view.metadatas[name]?.edit.editable === false) return t('field.notEditable')
    if (isSecond && !type.attributes[name]?.pluginOptions?.i18n?.localized && type.attributes[name]?.type !== 'relation') return t('field.shared', { locale: home.name })
    return undefined
  }

  const shown = view.layouts.edit.flat().filter(({ name }) => type.attributes[name] && !hidden.includes(name) && ability.canField('read', type.uid, name))
  const canPreview = place.level === 0 && !isNew && Boolean(previews?.previews[type.uid])
  const isPreviewing = canPreview && previewing
  const other = isPreviewing ? null : otherOf(place.compare?.name, type, loaded, locale)
  const compare = (name: string) => {
    setInspecting(false)
    place.compare?.choose(name)
  }
  const inspector = <Inspector type={type} loaded={loaded} locale={locale} compare={compare} />

  return (
    <EditorContext.Provider value={store}>
      <EntryScopeContext.Provider value={scope}>
        <EntryHeader
          type={type}
          title={title}
          loaded={loaded}
          locale={locale}
          isDirty={isDirty}
          actions={actions}
          place={place}
          preview={canPreview && entry ? { pattern: previews?.previews[type.uid] ?? '', isOpen: isPreviewing, toggle: () => setPreviewing(!isPreviewing) } : null}
          inspect={isNew || !place.compare ? null : { open: () => setInspecting(true), isBeside: !other && !isPreviewing }}
          autosave={hasDrafts(type) && mayWrite ? autosave : null}
          stageRequirement={stageRequirement}
          may={{ write: mayWrite, publish: mayPublish, delete: ability.canContent('delete', type.uid, locale) }}
        />
        <Group align="flex-start" gap={0} wrap="nowrap" style={{ flex: 1 }} data-form ref={root}>
          <Box style={{ flex: 1, minWidth: 0 }} p={{ base: 'sm', sm: 'lg' }} maw={other || isPreviewing ? undefined : 1040}>
            <Stack gap="md">
              {unsaved.offered && (
                <Alert variant="light" color="yellow" p="sm" role="status" title={t('unsaved.title')}>
                  <Group justify="space-between">
                    <Text size="sm" c="inherit">{t('unsaved.hint')} <RelativeTime at={unsaved.offered.at} />.</Text>
                    <Group gap="xs">
                      <Button variant="default" onClick={unsaved.drop}>{t('unsaved.drop')}</Button>
                      <Button onClick={unsaved.restore}>{t('unsaved.restore')}</Button>
                    </Group>
                  </Group>
                </Alert>
              )}
              {isNew && mayWrite && loaded.others.length > 0 && (
                <NewLocale type={type} loaded={loaded} locale={locale} choose={place.compare?.choose} onCopy={(values) => store.getState().restore(Object.fromEntries(shown.filter(({ name }) => !lockOf(name)).map(({ name }) => [name, values[name]])))} />
              )}
              {isLocalized(type) && !isSingle && place.level === 0 && home && locale !== home.code && (
                <Group justify="flex-end"><NextMissing type={type} documentId={documentId} locale={locale} source={home.code} /></Group>
              )}
              {!mayWrite && <Alert variant="light" color="gray" p="sm">{isNew ? t('entry.mayNotCreate') : t('entry.readOnly')}</Alert>}
              <Problems view={configuration} type={type} />
              {other && place.compare ? (
                <CompareForm key={JSON.stringify(other)} type={type} loaded={loaded} locale={locale} other={other} names={shown.map(({ name }) => name)} mayWrite={mayWrite} lockOf={lockOf} choose={place.compare.choose} />
              ) : (
                <Grid gap="lg">
                  {shown.map(({ name, size }) => {
                    const attribute = type.attributes[name]
                    return (
                      attribute && (
                        <Grid.Col key={name} span={{ base: 12, md: size }}>
                          {/* After each key press a browser looks for what it could fill in, among all fields of a form: here that is one. */}
                          <form noValidate onSubmit={(event) => event.preventDefault()}>
                            <FieldSlot name={name} attribute={attribute} label={labelOf(view, name)} meta={view.metadatas[name]?.edit} locked={lockOf(name)} />
                          </form>
                        </Grid.Col>
                      )
                    )
                  })}
                </Grid>
              )}
            </Stack>
          </Box>
          {isPreviewing && entry && previews && (
            <Suspense fallback={null}>
              <PreviewPane type={type} entry={entry} locale={locale} previews={previews} isDirty={isDirty} onClose={() => setPreviewing(false)} />
            </Suspense>
          )}
          {!isNew && !other && !isPreviewing && place.compare && (
            <Box ref={setAside} w={300} p="lg" pl={0} visibleFrom="lg" style={{ flexShrink: 0, position: 'sticky', top: 49, maxHeight: 'calc(100vh - 49px)', overflowY: 'auto' }}>
              {inspector}
            </Box>
          )}
        </Group>
        <Drawer opened={inspecting} onClose={() => setInspecting(false)} position="right" size="sm" title={t('inspector.title')} closeButtonProps={{ 'aria-label': t('action.close') }}>
          {inspector}
        </Drawer>
        {actions.conflict && <ConflictDialog conflict={actions.conflict} type={type} loaded={loaded} locale={locale} actions={actions} view={view} />}
        {closing && (
          <LeaveDialog
            onStay={() => setClosing(false)}
            onSave={async () => {
              setClosing(false)
              if ((await actions.save()) === 'done') place.drawer?.close()
            }}
            onLeave={() => place.drawer?.close()}
            isDirty={isDirty}
            mayWrite={mayWrite}
          />
        )}
        {blocker.status === 'blocked' && (
          <LeaveDialog
            onStay={() => blocker.reset()}
            onSave={async () => {
              if ((await actions.save()) === 'done') blocker.proceed()
              else blocker.reset()
            }}
            onLeave={() => blocker.proceed()}
            isDirty={isDirty}
            mayWrite={mayWrite}
          />
        )}
      </EntryScopeContext.Provider>
    </EditorContext.Provider>
  )
}

/** The values of a locale that an entry has no version for: what all its locales share. */
function beginning(type: ContentType, model: ReturnType<typeof useModel>, loaded: Loaded): Values {
  const values = initialValues(type.attributes, model)
  const other = loaded.others[0]
  if (!other) return values
  const shared = valuesOf(other, type, model)
  for (const [name, attribute] of editable(type.attributes)) {
    if (name in other && !attribute.pluginOptions?.i18n?.localized && attribute.type !== 'relation') values[name] = shared[name]
  }
  return values
}

/** The values of an entry for a copy of it: parts lose their ids, relations are not taken along. */
function copyOf(entry: Entry, type: ContentType, model: ReturnType<typeof useModel>): Values {
  const values = valuesOf(entry, type, model)
  const withoutIds = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withoutIds)
    if (typeof value !== 'object' || value === null || !('__key' in value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => name !== 'id')
        .map(([name, inner]) => [name, isCount(inner) ? { count: 0 } : withoutIds(inner)]),
    )
  }
  return Object.fromEntries(
    editable(type.attributes).map(([name, attribute]) => [name, attribute.type === 'relation' ? { count: 0 } : withoutIds(values[name])]),
  )
}

const isCount = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 1 && 'count' in value

/** Asks about what is not saved, beside the form; whoever goes on with the form until it is saved has answered it. */
function LeaveDialog({ onStay, onSave, onLeave, isDirty, mayWrite }: {
  onStay: () => void
  onSave: () => Promise<void>
  onLeave: () => void
  isDirty: boolean
  mayWrite: boolean
}) {
  const { t } = useTranslation()
  const [isSaving, setSaving] = useState(false)
  const stay = useEffectEvent(onStay)
  useEffect(() => {
    if (!isDirty && !isSaving) stay()
  }, [isDirty, isSaving])
  const save = async () => {
    setSaving(true)
    await onSave()
    setSaving(false)
  }
  return (
    <Paper
      withBorder
      shadow="md"
      p="md"
      pos="fixed"
      bottom={24}
      left="50%"
      style={{ transform: 'translateX(-50%)', zIndex: 300, maxWidth: '92vw' }}
      role="alertdialog"
      aria-label={t('leave.title')}
      className="quire-surface"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        // A drawer around it stays open.
        event.stopPropagation()
        onStay()
      }}
    >
      <Group>
        <div>
          <Text fw={600} size="sm">{t('leave.title')}</Text>
          <Text size="sm" c="dimmed">{t('leave.hint')}</Text>
        </div>
        <Group gap="xs">
          <Button variant="subtle" color="gray" onClick={onStay} autoFocus>{t('leave.stay')}</Button>
          <Button variant="default" onClick={onLeave}>{t('leave.leave')}</Button>
          {mayWrite && <Button loading={isSaving} onClick={() => void save()}>{t('leave.save')}</Button>}
        </Group>
      </Group>
    </Paper>
  )
}
