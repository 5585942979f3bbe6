import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import dayjs from 'dayjs'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import type { Release } from '../api/generated'
import { DateTimeInput, timezone } from '../components/dateInputs'
import { messageOf } from '../components/errors'
import { toast } from '../components/toast'
import { releaseChanged } from './queries'

/** When a release is published. */
export function ScheduleRelease({ release, onClose }: { release: Release; onClose: () => void }) {
  const { t } = useTranslation()
  const [at, setAt] = useState(release.scheduledAt)
  const save = useMutation({
    mutationFn: (scheduledAt: string | null) => request('PUT /admin/x/releases/{id}/schedule', { path: { id: release.id }, body: { scheduledAt, timezone: timezone() } }),
    onSuccess: (_, scheduledAt) => {
      releaseChanged()
      toast(scheduledAt ? t('schedule.saved') : t('schedule.cancelled'))
      onClose()
    },
  })
  return (
    <Modal opened onClose={onClose} title={t('schedule.title')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack gap="sm">
        <DateTimeInput name={t('schedule.publishAt')} minDate={dayjs().format('YYYY-MM-DD')} value={at} data-autofocus onChange={setAt} />
        <Text size="xs" c="dimmed">{t('schedule.hint')}</Text>
        {save.error && <Text size="sm" c="var(--mantine-color-error)" role="alert">{messageOf(save.error)}</Text>}
        <Group justify="flex-end" gap="xs">
          {release.scheduledAt && <Button variant="default" mr="auto" loading={save.isPending} onClick={() => save.mutate(null)}>{t('schedule.cancel')}</Button>}
          <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
          <Button loading={save.isPending} disabled={!at} onClick={() => save.mutate(at)}>{t('schedule.save')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
