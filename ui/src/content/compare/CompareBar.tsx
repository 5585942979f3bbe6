import { ActionIcon, Button, Group, Paper, Select, Switch, Text } from '@mantine/core'
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { useLocales } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import type { Loaded } from '../editor/loading'
import { useEditor } from '../editor/store'
import { isEmptyValue, otherOf, PUBLISHED, type Other, type Source } from './versions'

type Props = {
  type: ContentType
  loaded: Loaded
  locale: string | undefined
  other: Other
  source: Source | undefined
  showsDifferences: boolean
  onDifferences: (shown: boolean) => void
  /** Copy all fields; absent where the role may not write. */
  onCopyAll?: () => void
  choose: (name: string | undefined) => void
}

/** What the entry is compared with, and how much of it is translated. */
export function CompareBar({ type, loaded, locale, other, source, showsDifferences, onDifferences, onCopyAll, choose }: Props) {
  const { t } = useTranslation()
  const locales = useLocales()
  const store = useEditor()
  const isTranslation = other.status !== PUBLISHED
  const localized = Object.entries(type.attributes).filter(([, attribute]) => attribute.pluginOptions?.i18n?.localized).map(([name]) => name)
  const needed = localized.filter((name) => source && !isEmptyValue(source.shown[name]))
  const translated = useStore(store, (state) => needed.filter((name) => !isEmptyValue(state.values[name])).length)
  const choices = [
    ...(otherOf(PUBLISHED, type, loaded, locale) ? [{ value: PUBLISHED, label: t('compare.published') }] : []),
    ...loaded.others.map((one) => ({ value: one.locale, label: locales.find(({ code }) => code === one.locale)?.name ?? one.locale })),
  ]
  return (
    <Paper withBorder p="xs" className="quire-surface" role="region" aria-label={t('compare.title')}>
      <Group gap="sm">
        <Text size="sm" fw={600}>{t('compare.title')}</Text>
        <Select
          size="xs"
          w={190}
          allowDeselect={false}
          aria-label={t('compare.with')}
          data={choices}
          value={isTranslation ? (other.locale ?? null) : PUBLISHED}
          onChange={(name) => choose(name ?? undefined)}
        />
        <Switch size="xs" label={t('compare.differences')} checked={showsDifferences} onChange={(event) => onDifferences(event.currentTarget.checked)} />
        {isTranslation && needed.length > 0 && <Text size="sm" c="dimmed" role="status">{t('compare.translated', { count: translated, of: needed.length })}</Text>}
        {onCopyAll && isTranslation && (
          <Button variant="default" disabled={!source} onClick={onCopyAll}>{t('compare.copyAll')}</Button>
        )}
        <ActionIcon ml="auto" aria-label={t('compare.close')} onClick={() => choose(undefined)}><X size={15} /></ActionIcon>
      </Group>
    </Paper>
  )
}
