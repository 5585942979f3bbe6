import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import type { Release, ReleaseDetail } from '../api/generated'
import { messageOf } from '../components/errors'
import { releaseChanged } from './queries'

/** Ask for the name of a release, which is created or, if there is one, renamed. */
export function NameDialog({ release, onClose, onDone }: { release?: Release; onClose: () => void; onDone: (release: ReleaseDetail) => void }) {
  const { t } = useTranslation()
  const [name, setName] = useState(release?.name ?? '')
  const save = useMutation({
    mutationFn: async () => {
      const body = { name: name.trim() }
      const saved = release
        ? await request('PUT /admin/x/releases/{id}', { path: { id: release.id }, body })
        : await request('POST /admin/x/releases', { body })
      return saved.data
    },
    onSuccess: (saved) => {
      releaseChanged(saved)
      onDone(saved)
    },
  })
  return (
    <Modal opened onClose={onClose} title={release ? t('releases.rename') : t('releases.create')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          // React hands events on to the form that a dialog was opened from.
          event.stopPropagation()
          if (name.trim()) save.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label={t('releases.name')}
            data-autofocus
            required
            maxLength={255}
            value={name}
            error={save.error && messageOf(save.error)}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" loading={save.isPending} disabled={!name.trim()}>{release ? t('action.save') : t('releases.create')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
