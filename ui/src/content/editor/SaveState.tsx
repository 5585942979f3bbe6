import { Group, Text, Tooltip } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { CircleAlert, CircleCheck, CloudOff, LoaderCircle, PencilLine } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { useSession } from '../../api/client'
import { absolute, ago } from '../../components/RelativeTime'
import { useEditor } from './store'
import type { useEntryActions } from './useEntryActions'

type Props = { isDirty: boolean; isNew: boolean; actions: ReturnType<typeof useEntryActions> }

/** Whether what is shown is stored; an icon with the text as its name on a phone. */
export function SaveState({ isDirty, isNew, actions }: Props) {
  const { t } = useTranslation()
  const { online, serverReachable } = useSession()
  const { activity, savedAt, isConflicted, isServerAvailable, preventsSaving } = actions
  const hasProblems = useStore(useEditor(), (state) => preventsSaving.some((path) => path in state.errors))
  const [text, Icon] =
    activity === 'saving' || activity === 'autosaving' || activity === 'publishing' ? [t('entry.saving'), LoaderCircle] as const
    : isDirty && isConflicted ? [t('entry.conflicted'), CircleAlert] as const
    : isDirty && !(online && serverReachable) ? [t('entry.unsavedOffline'), CloudOff] as const
    : isDirty && !isServerAvailable ? [t('entry.unsavedUnavailable'), CloudOff] as const
    : isDirty ? [hasProblems ? t('entry.unsavedProblems') : t('entry.unsaved'), PencilLine] as const
    : savedAt ? [t('entry.savedAt'), CircleCheck] as const
    : isNew ? [t('entry.notSaved'), PencilLine] as const
    : [null, null]
  if (!Icon) return null
  const isSaved = Icon === CircleCheck
  return (
    <Group gap={5} wrap="nowrap" c="dimmed" style={{ flexShrink: 0 }}>
      <Icon size={13} aria-hidden />
      <Text size="xs" role="status" style={{ whiteSpace: 'nowrap' }}>{text}</Text>
      {isSaved && savedAt && <SavedAgo at={savedAt} />}
    </Group>
  )
}

/** How long ago, to the second: it says that nothing waits. Not announced, as it changes all the time. */
function SavedAgo({ at }: { at: number }) {
  const [now, setNow] = useState(at)
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true })
  return (
    <Tooltip label={absolute(at)}>
      <Text size="xs" component="time" dateTime={new Date(at).toISOString()} aria-hidden style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
        {ago(at, Math.max(now, at))}
      </Text>
    </Tooltip>
  )
}
