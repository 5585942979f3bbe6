import { Button, Group, Modal, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { ErrorState, Loading } from '../components/States'
import { messageOf } from '../components/errors'
import { toast } from '../components/toast'
import { useMayPublish } from './permission'
import { openReleasesQuery, releaseChanged, type ItemAction, type ReleaseEntry } from './queries'

const NEW = 'new'

/** Add entries to a release, or to a new one. */
export default function AddToRelease({ entries, onClose }: { entries: ReleaseEntry[]; onClose: () => void }) {
  const { t } = useTranslation()
  const mayPublish = useMayPublish()
  const releases = useQuery(openReleasesQuery)
  const [chosen, setChosen] = useState<string | null>(null)
  const [name, setName] = useState('')
  const [action, setAction] = useState<ItemAction>('publish')
  const open = releases.data ?? []
  const choices = [
    ...open.map((release) => ({ value: String(release.id), label: release.name })),
    ...(mayPublish ? [{ value: NEW, label: t('releases.createNew') }] : []),
  ]
  const target = chosen ?? choices[0]?.value ?? null
  const isNew = target === NEW
  const add = useMutation({
    mutationFn: async () => {
      const id = isNew ? (await request('POST /admin/x/releases', { body: { name: name.trim() } })).data.id : Number(target)
      return (await request('POST /admin/x/releases/{id}/items', { path: { id }, body: { entries, action } })).data
    },
    onSuccess: (release) => {
      releaseChanged(release)
      toast(t('releases.added', { count: entries.length, name: release.name }))
      onClose()
    },
    // A release that was created before adding failed is among the choices then.
    onError: () => releaseChanged(),
  })
  const isReady = releases.isSuccess && target !== null && (!isNew || name.trim() !== '')
  return (
    <Modal opened onClose={onClose} title={t('releases.add')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      {releases.isPending && <Loading rows={3} />}
      {/* A control takes the focus as it comes. */}
      {!releases.isPending && <form
        onSubmit={(event) => {
          event.preventDefault()
          event.stopPropagation()
          if (isReady) add.mutate()
        }}
      >
        <Stack gap="sm">
          {releases.error && <ErrorState error={releases.error} retry={() => void releases.refetch()} />}
          {releases.data && choices.length === 0 && <Text size="sm">{t('releases.noneOpen')}</Text>}
          {releases.isSuccess && choices.length > 0 && <Select label={t('releases.one')} searchable allowDeselect={false} data={choices} value={target} onChange={setChosen} />}
          {releases.isSuccess && isNew && <TextInput autoFocus data-autofocus label={t('releases.name')} required maxLength={255} value={name} onChange={(event) => setName(event.currentTarget.value)} />}
          <SegmentedControl
            aria-label={t('releases.action')}
            value={action}
            onChange={(value) => setAction(value === 'unpublish' ? 'unpublish' : 'publish')}
            data={[
              { value: 'publish', label: t('action.publish') },
              { value: 'unpublish', label: t('action.unpublish') },
            ]}
          />
          {add.error && <Text size="sm" c="var(--mantine-color-error)" role="alert">{messageOf(add.error)}</Text>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" autoFocus={!isNew} data-autofocus={!isNew || undefined} loading={add.isPending} disabled={!isReady}>{t('releases.addConfirm', { count: entries.length })}</Button>
          </Group>
        </Stack>
      </form>}
    </Modal>
  )
}
