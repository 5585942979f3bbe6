import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import dayjs from 'dayjs'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import type { EntrySchedule } from '../api/generated'
import { DateTimeInput, timezone } from '../components/dateInputs'
import { absolute } from '../components/RelativeTime'
import { messageOf } from '../components/errors'
import { wordingOfText } from '../components/serverMessages'
import { toast } from '../components/toast'
import { useFieldName } from '../content/fieldNames'
import { scheduleChanged } from './queries'

type Props = { uid: string; documentId: string; locale: string | undefined; schedule: EntrySchedule; onClose: () => void }

/** When an entry is published, and when it is unpublished again. */
export default function ScheduleEntry({ uid, documentId, locale, schedule, onClose }: Props) {
  const { t } = useTranslation()
  const nameOf = useFieldName(uid)
  const [publishAt, setPublishAt] = useState(schedule.publishAt)
  const [unpublishAt, setUnpublishAt] = useState(schedule.unpublishAt)
  const save = useMutation({
    mutationFn: async (times: { publishAt: string | null; unpublishAt: string | null }) =>
      (await request('PUT /admin/x/schedule/{uid}/{id}', { path: { uid, id: documentId }, query: { locale }, body: { ...times, timezone: timezone() } })).data,
    onSuccess: (saved) => {
      scheduleChanged(uid, documentId, locale, saved)
      toast(saved.publishAt || saved.unpublishAt ? t('schedule.saved') : t('schedule.cancelled'))
      onClose()
    },
  })
  const today = dayjs().format('YYYY-MM-DD')
  const isScheduled = Boolean(schedule.publishAt || schedule.unpublishAt)
  const isReady = Boolean(publishAt || unpublishAt)
  return (
    <Modal opened onClose={onClose} title={t('schedule.title')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          event.stopPropagation()
          if (isReady) save.mutate({ publishAt, unpublishAt })
        }}
      >
        <Stack gap="sm">
          {schedule.failed.map((one) => (
            <Alert key={one.action} color="red" variant="light" title={t(`schedule.failed.${one.action}`, { at: absolute(one.at) })}>{wordingOfText(one.message, nameOf)}</Alert>
          ))}
          <DateTimeInput name={t('schedule.publishAt')} minDate={today} value={publishAt} data-autofocus onChange={setPublishAt} />
          <DateTimeInput name={t('schedule.unpublishAt')} minDate={today} value={unpublishAt} onChange={setUnpublishAt} />
          <Text size="xs" c="dimmed">{t('schedule.hint')}</Text>
          {save.error && <Text size="sm" c="var(--mantine-color-error)" role="alert">{messageOf(save.error)}</Text>}
          <Group justify="flex-end" gap="xs">
            {isScheduled && <Button variant="default" mr="auto" loading={save.isPending} onClick={() => save.mutate({ publishAt: null, unpublishAt: null })}>{t('schedule.cancel')}</Button>}
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" loading={save.isPending} disabled={!isReady}>{t('schedule.save')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
