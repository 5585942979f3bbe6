import { Button, Group, List, Paper, Text } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../components/RelativeTime'
import { sentenceOf } from './describe'
import type { StoredChanges } from './pendingChanges'

const SHOWN = 5

/** Changes that were left pending, with those that the model has no place for any more. */
export function PendingChangesBanner({ stored }: { stored: StoredChanges }) {
  const { t } = useTranslation()
  const { changes, conflicts } = stored
  return (
    <Paper withBorder className="quire-surface quire-pending" p="sm" component="section" aria-label={t('model.left')}>
      <Group gap="sm" justify="space-between" align="flex-start">
        <div style={{ flex: '1 1 320px', minWidth: 0 }}>
          <Text size="sm">
            <b>{t('model.left')}</b> · <RelativeTime at={stored.at} />
            {changes.slice(0, SHOWN).map((change, index) => <span key={index}> · {sentenceOf(change)}</span>)}
            {changes.length > SHOWN && ` · ${t('model.moreChanges', { count: changes.length - SHOWN })}`}
          </Text>
          {conflicts.length > 0 && (
            <Group gap={6} mt={4} wrap="nowrap" align="flex-start">
              <TriangleAlert size={14} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
              <div>
                <Text size="sm">{t('model.unfit')}</Text>
                <List size="sm">{conflicts.map((sentence, index) => <List.Item key={index}>{sentence}</List.Item>)}</List>
              </div>
            </Group>
          )}
        </div>
        <Group gap="xs">
          <Button variant="default" onClick={stored.drop}>{t('model.discard')}</Button>
          <Button disabled={changes.length === 0} onClick={stored.resume}>{t('action.continue')}</Button>
        </Group>
      </Group>
    </Paper>
  )
}
