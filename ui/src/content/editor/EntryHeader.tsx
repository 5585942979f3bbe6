import { ActionIcon, Box, Breadcrumbs, Button, Group, Menu, Select, Stack, Text, Title, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarCheck, CalendarClock, ChevronDown, Columns2, Copy, Ellipsis, ExternalLink, Eye, FileDiff, Redo2, RotateCcw, Save, Trash2, Undo2, CloudOff, Languages, PanelRight } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { hasDrafts, isLocalized, useAbility, useConfiguration, useLocales } from '../../api/hooks'
import type { ContentType, Entry } from '../../api/types'
import { confirmFirst } from '../../components/confirm'
import { StatusBadge } from '../../components/StatusBadge'
import { EntryScheduleBadge } from '../../releases/EntrySchedule'
import { AddToRelease, ScheduleEntry } from '../../releases/lazy'
import { entryScheduleQuery } from '../../releases/queries'
import { defaultOther, PUBLISHED } from '../compare/versions'
import { lastSearch } from '../list/lastSearch'
import { previewUrl } from '../preview/previewUrl'
import { LocalesDialog } from './LocalesDialog'
import type { Loaded } from './loading'
import type { Place } from './place'
import { SaveState } from './SaveState'
import { useEditor } from './store'
import type { useEntryActions } from './useEntryActions'

type Props = {
  type: ContentType
  title: string
  loaded: Loaded
  locale: string | undefined
  isDirty: boolean
  place: Place
  /** Opens the inspector, which stands beside the form where there is room; null where there is none. */
  inspect: { open: () => void; isBeside: boolean } | null
  /** Where the site shows the entry, and whether that is beside the form; null where nowhere. */
  preview: { pattern: string; isOpen: boolean; toggle: () => void } | null
  /** Null where drafts are not saved by themselves. */
  autosave: { isOn: boolean; toggle: () => void } | null
  actions: ReturnType<typeof useEntryActions>
  may: { write: boolean; publish: boolean; delete: boolean }
  /** The stage that the entry must have to be published, as a sentence. */
  stageRequirement: string | undefined
}

/** Why a button does nothing is for the keyboard and for fingers too. */
const REASON_SHOWN_ON = { hover: true, focus: true, touch: true }

/** Where one is, in which state the entry is, and what can be done to it. */
export function EntryHeader({ type, title, loaded, locale, isDirty, place, preview, inspect, autosave, actions, may, stageRequirement }: Props) {
  const { t } = useTranslation()
  const ability = useAbility()
  const store = useEditor()
  const view = useConfiguration(type.uid)
  const canUndo = useStore(store, (state) => state.past.length > 0)
  const canRedo = useStore(store, (state) => state.future.length > 0)
  const [isReleasing, setReleasing] = useState(false)
  const [isScheduling, setScheduling] = useState(false)
  const [locales, setLocales] = useState<'publish' | 'unpublish' | null>(null)
  const { entry, documentId } = loaded
  const isNew = entry === null
  const isSingle = type.kind === 'singleType'
  const drafts = hasDrafts(type)
  const published = entry?.status === 'published' || entry?.status === 'modified'
  const nothingToPublish = entry?.status === 'published' && !isDirty
  const scope = isLocalized(type) ? locale : undefined
  const { data: schedule } = useQuery({ ...entryScheduleQuery(type.uid, documentId ?? '', scope), enabled: drafts && entry !== null && documentId !== null })
  const busy = actions.activity !== null && actions.activity !== 'autosaving'
  const whyNotPublish = !may.publish ? t('publish.noPermission') : nothingToPublish ? t('publish.nothing') : stageRequirement
  const whyNotSave = !may.write ? t('save.noPermission') : !isDirty && !isNew ? t('save.nothing') : undefined

  const mayDuplicate = !isNew && !isSingle && place.level === 0 && ability.canContent('create', type.uid, locale)
  const showsChanges = entry?.status === 'modified' && place.compare !== undefined
  // Where there is room for all buttons, a menu of the rest may have nothing.
  const hasMore = showsChanges || mayDuplicate || Boolean(autosave) || (!isNew && may.delete)

  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const saveLabel = drafts ? t('entry.saveDraft') : t('action.save')
  const hasLocales = isLocalized(type) && !isNew && loaded.others.length > 0
  const openLocales = async (what: 'publish' | 'unpublish') => {
    // What is typed here is looked at and published with the rest.
    if (!isDirty || !may.write || (await actions.save()) === 'done') setLocales(what)
  }
  const openSchedule = async () => {
    if (!isDirty || !may.write || (await actions.save()) === 'done') setScheduling(true)
  }
  const openRelease = async () => {
    // What is typed here goes out with the release.
    if (!isDirty || !may.write || (await actions.save()) === 'done') setReleasing(true)
  }
  const redo = () => store.getState().redo()
  const compare = () => place.compare?.choose(place.compare.name ? undefined : defaultOther(loaded))
  const confirm = (title: string, hint: string, label: string, run: () => void) => confirmFirst({ title, hint, confirm: label, onConfirm: run })

  return (
    <Box px={{ base: 'sm', sm: 'lg' }} py={8} className="quire-entry-header">
      <Group justify="space-between" gap="xs">
        <Group gap={10} wrap="nowrap" style={{ minWidth: 0, flex: '1 1 260px' }}>
          <Stack gap={0} style={{ minWidth: 0 }}>
            <Breadcrumbs separator="›" separatorMargin={6} styles={{ root: { flexWrap: 'nowrap' } }}>
              {!isSingle && place.level === 0 && (
                <Link to="/content/$uid" params={{ uid: type.uid }} search={lastSearch(type.uid, locale)} className="quire-crumb">
                  {type.info.displayName}
                </Link>
              )}
              <Title order={place.level === 0 ? 1 : 2} fz={15} className="quire-ellipsis" dir="auto" title={title}>{title}</Title>
            </Breadcrumbs>
          </Stack>
          {entry?.status && drafts && <StatusBadge status={entry.status} />}
          {entry && drafts && documentId && <EntryScheduleBadge uid={type.uid} documentId={documentId} locale={scope} onOpen={may.publish ? () => setScheduling(true) : undefined} />}
          <SaveState isDirty={isDirty} isNew={isNew} actions={actions} />
        </Group>
        <Group gap={6} justify="flex-end" flex={{ base: '1 1 100%', sm: '0 1 auto' }}>
          <LocaleSelect type={type} loaded={loaded} locale={locale} place={place} />
          <Tooltip label={t('shortcut.undo')}>
            <ActionIcon aria-label={t('shortcut.undo')} disabled={!canUndo} onClick={() => store.getState().undo()}><Undo2 size={16} /></ActionIcon>
          </Tooltip>
          <Tooltip label={t('shortcut.redo')}>
            <ActionIcon aria-label={t('shortcut.redo')} disabled={!canRedo} visibleFrom="sm" onClick={redo}><Redo2 size={16} /></ActionIcon>
          </Tooltip>
          {place.compare && defaultOther(loaded) && (
            <Tooltip label={t('compare.open')}>
              <ActionIcon aria-label={t('compare.open')} aria-pressed={Boolean(place.compare.name)} visibleFrom="sm" onClick={compare}>
                <Columns2 size={16} />
              </ActionIcon>
            </Tooltip>
          )}
          {inspect && (
            <Tooltip label={t('inspector.title')}>
              <ActionIcon aria-label={t('inspector.title')} aria-haspopup="dialog" visibleFrom="sm" hiddenFrom={inspect.isBeside ? 'lg' : undefined} onClick={inspect.open}>
                <PanelRight size={16} />
              </ActionIcon>
            </Tooltip>
          )}
          {preview && entry && <PreviewButtons {...preview} type={type} entry={entry} locale={locale} />}
          {(!isNew || autosave) && (
            <Menu position="bottom-end" width={230}>
              <Menu.Target>
                <ActionIcon aria-label={t('entry.more')} hiddenFrom={hasMore ? undefined : 'sm'}><Ellipsis size={16} /></ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {/* There is no room for their buttons. */}
                {isPhone && (
                  <>
                    <Menu.Item leftSection={<Redo2 size={14} />} disabled={!canRedo} onClick={redo}>{t('shortcut.redo')}</Menu.Item>
                    {place.compare && defaultOther(loaded) && <Menu.Item leftSection={<Columns2 size={14} />} onClick={compare}>{t('compare.open')}</Menu.Item>}
                    {inspect && <Menu.Item leftSection={<PanelRight size={14} />} onClick={inspect.open}>{t('inspector.title')}</Menu.Item>}
                    <Menu.Divider />
                  </>
                )}
                {showsChanges && <Menu.Item leftSection={<FileDiff size={14} />} onClick={() => place.compare?.choose(PUBLISHED)}>{t('changes.show')}</Menu.Item>}
                {mayDuplicate && (
                  <Menu.Item leftSection={<Copy size={14} />} onClick={() => void place.open({ documentId: 'create', locale, from: documentId ?? undefined })}>
                    {t('action.duplicate')}
                  </Menu.Item>
                )}
                {autosave && (
                  <Menu.CheckboxItem checked={autosave.isOn} onChange={autosave.toggle}>
                    {t('entry.autosave', { type: type.info.displayName })}
                  </Menu.CheckboxItem>
                )}
                {!isNew && may.delete && (
                  <>
                    <Menu.Divider />
                    {isLocalized(type) && loaded.others.length > 0 && (
                      <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => confirm(t('delete.localeTitle', { locale: locale ?? '' }), t('delete.localeHint'), t('action.delete'), () => void actions.remove(false))}>
                        {t('delete.locale', { locale: locale ?? '' })}
                      </Menu.Item>
                    )}
                    <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => confirm(t('delete.title', { title }), t('delete.hint'), t('action.delete'), () => void actions.remove(true))}>
                      {t('action.delete')}
                    </Menu.Item>
                  </>
                )}
              </Menu.Dropdown>
            </Menu>
          )}
          <Tooltip label={whyNotSave} disabled={!whyNotSave} events={REASON_SHOWN_ON}>
            <Button
              variant={drafts ? 'default' : 'filled'}
              size="xs"
              aria-label={saveLabel}
              loading={actions.activity === 'saving'}
              data-disabled={Boolean(whyNotSave) || undefined}
              aria-disabled={Boolean(whyNotSave)}
              onClick={(event) => (whyNotSave || busy ? event.preventDefault() : void actions.save())}
            >
              <Box component="span" visibleFrom="sm">{saveLabel}</Box>
              <Box component="span" hiddenFrom="sm" display="flex"><Save size={15} aria-hidden /></Box>
            </Button>
          </Tooltip>
          {drafts && (
            <Button.Group>
              <Tooltip label={whyNotPublish} disabled={!whyNotPublish} multiline maw={260} events={REASON_SHOWN_ON}>
                <Button
                  size="xs"
                  loading={actions.activity === 'publishing'}
                  data-disabled={Boolean(whyNotPublish) || undefined}
                  aria-disabled={Boolean(whyNotPublish)}
                  onClick={(event) => (whyNotPublish || busy ? event.preventDefault() : void actions.publish())}
                >
                  {t('action.publish')}
                </Button>
              </Tooltip>
              {!isNew && (may.publish || may.write) && (
                <Menu position="bottom-end">
                  <Menu.Target>
                    <Button size="xs" px={6} aria-label={t('publish.more')}><ChevronDown size={14} /></Button>
                  </Menu.Target>
                  <Menu.Dropdown>
                    {hasLocales && may.publish && <Menu.Item leftSection={<Languages size={14} />} onClick={() => void openLocales('publish')}>{t('locales.publish')}</Menu.Item>}
                    {may.publish && schedule && <Menu.Item leftSection={<CalendarClock size={14} />} onClick={() => void openSchedule()}>{t('schedule.open')}</Menu.Item>}
                    <Menu.Item leftSection={<CalendarCheck size={14} />} onClick={() => void openRelease()}>{t('release.add')}</Menu.Item>
                    {published && may.publish && (
                      <Menu.Item leftSection={<CloudOff size={14} />} onClick={() => confirm(t('unpublish.title'), t('unpublish.hint'), t('action.unpublish'), () => void actions.unpublish())}>
                        {t('action.unpublish')}
                      </Menu.Item>
                    )}
                    {hasLocales && may.publish && <Menu.Item leftSection={<CloudOff size={14} />} onClick={() => void openLocales('unpublish')}>{t('locales.unpublish')}</Menu.Item>}
                    {entry?.status === 'modified' && may.publish && (
                      <Menu.Item color="red" leftSection={<RotateCcw size={14} />} onClick={() => confirm(t('discard.title'), t('discard.hint'), t('discard.confirm'), () => void actions.discard())}>
                        {t('discard.action')}
                      </Menu.Item>
                    )}
                  </Menu.Dropdown>
                </Menu>
              )}
            </Button.Group>
          )}
        </Group>
      </Group>
      {isScheduling && documentId && schedule && (
        <Suspense>
          <ScheduleEntry uid={type.uid} documentId={documentId} locale={scope} schedule={schedule} onClose={() => setScheduling(false)} />
        </Suspense>
      )}
      {isReleasing && documentId && (
        <Suspense>
          <AddToRelease entries={[{ contentType: type.uid, documentId, locale: scope ?? null }]} onClose={() => setReleasing(false)} />
        </Suspense>
      )}
      {locales && documentId && <LocalesDialog what={locales} type={type} view={view} loaded={loaded} place={place} actions={actions} onClose={() => setLocales(null)} />}
    </Box>
  )
}

/** Buttons that show the entry on the site: beside the form where there is room, and in a tab. */
function PreviewButtons({ pattern, isOpen, toggle, type, entry, locale }: NonNullable<Props['preview']> & { type: ContentType; entry: Entry; locale: string | undefined }) {
  const { t } = useTranslation()
  const found = previewUrl(pattern, { type, entry, locale, status: hasDrafts(type) ? 'draft' : 'published' })
  return (
    <>
      <Tooltip label={t('preview.beside')}>
        <ActionIcon aria-label={t('preview.beside')} aria-pressed={isOpen} variant={isOpen ? 'light' : undefined} visibleFrom="md" onClick={toggle}><Eye size={16} /></ActionIcon>
      </Tooltip>
      {'url' in found && (
        <Tooltip label={t('preview.open')}>
          <ActionIcon component="a" href={found.url} target="_blank" rel="noreferrer" aria-label={t('preview.open')}><ExternalLink size={16} /></ActionIcon>
        </Tooltip>
      )}
    </>
  )
}

function LocaleSelect({ type, loaded, locale, place }: Pick<Props, 'type' | 'loaded' | 'locale' | 'place'>) {
  const { t } = useTranslation()
  const locales = useLocales()
  if (!isLocalized(type) || locales.length < 2) return null
  const state = (code: string) => {
    if (code === locale) return loaded.entry ? t(`status.${loaded.entry.status ?? 'draft'}`) : t('entry.missingLocale')
    const other = loaded.others.find((one) => one.locale === code)
    return other ? t(`status.${other.status ?? 'draft'}`) : t('entry.missingLocale')
  }
  return (
    <Select
      size="xs"
      w={{ base: 104, sm: 150 }}
      aria-label={t('entry.locale')}
      allowDeselect={false}
      value={locale ?? null}
      data={locales.map((one) => ({ value: one.code, label: one.name }))}
      comboboxProps={{ width: 250, position: 'bottom-end' }}
      renderOption={({ option }) => (
        <Group justify="space-between" wrap="nowrap" w="100%">
          <span>{option.label}</span>
          <Text size="xs" c="dimmed">{hasDrafts(type) || state(option.value) === t('entry.missingLocale') ? state(option.value) : ''}</Text>
        </Group>
      )}
      onChange={(code) => {
        if (!code || code === locale) return
        void place.open({ documentId: type.kind === 'singleType' ? null : (loaded.documentId ?? 'create'), locale: code })
      }}
    />
  )
}
