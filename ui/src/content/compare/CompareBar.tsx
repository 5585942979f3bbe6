import { ActionIcon, Button, Group, Paper, Select, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { hasDrafts, useLocales } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import { i18next } from '../../i18n'
import type { Loaded } from '../editor/loading'
import { useEditor } from '../editor/store'
import { nameOf } from '../editor/people'
import { revisionsQuery } from './revisions'
import { isEmptyValue, otherOf, PUBLISHED, revisionName, type Other, type Source } from './versions'

type Props = {
  type: ContentType
  loaded: Loaded
  locale: string | undefined
  other: Other
  source: Source | null | undefined
  showsDifferences: boolean
  onDifferences: (shown: boolean) => void
  /** Copy all fields; absent where the role may not write. */
  onCopyAll?: () => void
  choose: (name: string | undefined) => void
}

const moment = (at: string) => new Intl.DateTimeFormat(i18next.language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at))

/** What the entry is compared with, and how much of it is translated. */
export function CompareBar({ type, loaded, locale, other, source, showsDifferences, onDifferences, onCopyAll, choose }: Props) {
  const { t } = useTranslation()
  const locales = useLocales()
  const store = useEditor()
  const isTranslation = other.status !== PUBLISHED && !other.revision
  const { documentId, entry } = loaded
  const revisions = useQuery({ ...revisionsQuery(type.uid, documentId ?? '', locale, entry?.updatedAt), enabled: documentId !== null && entry !== null })
  const localized = Object.entries(type.attributes).filter(([, attribute]) => attribute.pluginOptions?.i18n?.localized).map(([name]) => name)
  const needed = localized.filter((name) => source && !isEmptyValue(source.shown[name]))
  const translated = useStore(store, (state) => needed.filter((name) => !isEmptyValue(state.values[name])).length)
  const versions = [
    ...(otherOf(PUBLISHED, type, loaded, locale) ? [{ value: PUBLISHED, label: t('compare.published') }] : []),
    ...loaded.others.map((one) => ({ value: one.locale, label: locales.find(({ code }) => code === one.locale)?.name ?? one.locale })),
  ]
  const revision = source?.revision?.id
  const kept = (revisions.data ?? []).map((one) => ({
    value: revisionName(one.id),
    label: [moment(one.createdAt), nameOf(one.createdBy), hasDrafts(type) ? t(`status.${one.status}`) : null].filter(Boolean).join(' · '),
  }))
  const choices = [
    ...(versions.length > 0 ? [{ group: t('compare.versions'), items: versions }] : []),
    ...(kept.length > 0 ? [{ group: t('compare.revisions'), items: kept }] : []),
  ]
  return (
    <Paper withBorder p="xs" className="quire-surface" role="region" aria-label={t('compare.title')}>
      <Group gap="sm">
        <Text size="sm" fw={600}>{t('compare.title')}</Text>
        <Select
          size="xs"
          w={other.revision ? { base: '100%', xs: 300 } : 190}
          comboboxProps={{ width: 300, position: 'bottom-start' }}
          allowDeselect={false}
          aria-label={t('compare.with')}
          data={choices}
          value={other.revision ? (revision ? revisionName(revision) : null) : isTranslation ? (other.locale ?? null) : PUBLISHED}
          onChange={(name) => choose(name ?? undefined)}
        />
        <Switch size="xs" label={t('compare.differences')} checked={showsDifferences} onChange={(event) => onDifferences(event.currentTarget.checked)} />
        {isTranslation && needed.length > 0 && <Text size="sm" c="dimmed" role="status">{t('compare.translated', { count: translated, of: needed.length })}</Text>}
        {onCopyAll && isTranslation && (
          <Button variant="default" disabled={!source} onClick={onCopyAll}>{t('compare.copyAll')}</Button>
        )}
        {onCopyAll && other.revision && (
          <Button variant="default" disabled={!source} onClick={onCopyAll}>{t('compare.restoreAll')}</Button>
        )}
        {(source?.revision?.missing ?? 0) > 0 && <Text size="sm" c="dimmed" role="status">{t('compare.missing', { count: source?.revision?.missing })}</Text>}
        <ActionIcon ml="auto" aria-label={t('compare.close')} onClick={() => choose(undefined)}><X size={15} /></ActionIcon>
      </Group>
    </Paper>
  )
}
