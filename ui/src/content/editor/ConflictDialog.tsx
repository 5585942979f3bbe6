import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { labelOf } from '../../api/hooks'
import type { ContentType, ViewConfiguration } from '../../api/types'
import { RelativeTime } from '../../components/RelativeTime'
import { ErrorState, Loading } from '../../components/States'
import { toastError } from '../../components/toast'
import { fieldTypeOf } from '../../fields/registry'
import { loadEntry, type Loaded } from './loading'
import { dirtyNames, isEqual, useEditor } from './store'
import type { Conflict, useEntryActions } from './useEntryActions'

type Props = {
  conflict: Conflict
  type: ContentType
  view: ViewConfiguration
  loaded: Loaded
  locale: string | undefined
  actions: ReturnType<typeof useEntryActions>
}

/** Somebody else has saved the entry meanwhile: see both, then take one. */
export function ConflictDialog({ conflict, type, view, loaded, locale, actions }: Props) {
  const { t } = useTranslation()
  const store = useEditor()
  const theirs = useQuery({ queryKey: ['conflict', type.uid, loaded.documentId, locale, conflict.at], gcTime: 0, queryFn: () => loadEntry(type, type.kind === 'singleType' ? null : loaded.documentId, locale) })
  const mine = store.getState()
  const entry = theirs.data?.entry
  const dirty = dirtyNames(mine)
  const changedByThem = Object.keys(entry ?? {}).filter((name) => type.attributes[name] && loaded.entry && !isEqual(entry?.[name], loaded.entry[name]))
  // The server tells relations in numbers alone.
  const isRelation = (name: string) => type.attributes[name]?.type === 'relation'
  const isCompared = (name: string) => type.attributes[name] !== undefined && name in mine.values && !isRelation(name)
  const shown = dirty.filter(isCompared)
  // A save sends what was changed here alone.
  const kept = changedByThem.filter((name) => isCompared(name) && !dirty.includes(name))
  const relations = [...new Set([...dirty, ...changedByThem])].filter(isRelation).map((name) => labelOf(view, name))
  const diff = (name: string, before: unknown, after: unknown) => {
    const attribute = type.attributes[name]!
    const { Diff } = fieldTypeOf(attribute)
    return (
      <div key={name}>
        <Text size="sm" fw={600} mb={2}>{labelOf(view, name)}</Text>
        <Diff before={before} after={after} attribute={attribute} />
      </div>
    )
  }
  return (
    <Modal opened onClose={actions.dismissConflict} title={t('conflict.title')} size="xl" closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack>
        <Text size="sm">
          {t('conflict.hint', { name: conflict.by })} {conflict.at && <RelativeTime at={conflict.at} />}
        </Text>
        {theirs.error && <ErrorState error={theirs.error} />}
        {!theirs.data && !theirs.error && <Loading rows={2} />}
        {entry && (
          <Stack gap="sm" mah="46vh" style={{ overflowY: 'auto' }} tabIndex={0} role="region" aria-label={t('conflict.differences')}>
            {shown.length > 0 && <Text size="xs" c="dimmed">{t('conflict.legend')}</Text>}
            {shown.map((name) => diff(name, entry[name], mine.values[name]))}
            {kept.length > 0 && <Text size="xs" c="dimmed" mt={shown.length > 0 ? 'xs' : undefined}>{t('conflict.kept')}</Text>}
            {kept.map((name) => diff(name, loaded.entry?.[name], entry[name]))}
            {relations.length > 0 && <Text size="sm">{t('conflict.relations', { fields: relations.join(', ') })}</Text>}
          </Stack>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="subtle" color="gray" onClick={actions.dismissConflict}>{t('conflict.later')}</Button>
          <Button variant="default" onClick={() => void actions.takeTheirs().catch(toastError)}>{t('conflict.theirs')}</Button>
          <Button onClick={() => void actions.save(true)}>{t('conflict.mine')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
