import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { keys } from '../api/keys'
import type { Folder, MediaFile } from '../api/types'
import { FormError } from '../auth/AuthPage'
import { ErrorState, Loading } from '../components/States'
import { toast } from '../components/toast'
import { queries } from '../queries'
import { isUsed, Uses } from './FileDrawer'
import { pathsOf, structureQuery, usageQuery, withoutFolders } from './library'

export type Done = { onClose: () => void; onDone: () => void }

const ROOT = 'root'

/** What was deleted of what was chosen. */
type Deleted = { files: MediaFile[]; folders: Folder[] }

export const refreshMedia = () => queries.invalidateQueries({ queryKey: keys.media })

/** The name of a folder: of a new one in a folder (null: the root), or of one that there is. */
export function FolderDialog({ folder, parent, onClose, onDone }: { folder?: Folder; parent: number | null } & Done) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { name: folder?.name ?? '' }, validate: { name: (value) => (value.trim() ? null : t('form.required')) } })
  const save = useMutation({
    mutationFn: async ({ name }: { name: string }) => {
      if (folder) await request('PUT /upload/folders/{id}', { path: { id: folder.id }, body: { name: name.trim(), parent } })
      else await request('POST /upload/folders', { body: { name: name.trim(), parent } })
    },
    onSuccess: async () => {
      await refreshMedia()
      onDone()
    },
  })
  return (
    <Modal opened onClose={onClose} title={t(folder ? 'media.renameFolder' : 'media.newFolder')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <Stack gap="sm">
          <TextInput label={t('media.folderName')} data-autofocus {...form.getInputProps('name')} />
          <FormError error={save.error} />
          <Group justify="flex-end"><Button type="submit" loading={save.isPending}>{t('action.save')}</Button></Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Choose the folder that files and folders are moved to. */
export function MoveDialog({ fileIds, folderIds, onClose, onDone }: { fileIds: number[]; folderIds: number[] } & Done) {
  const { t } = useTranslation()
  const structure = useQuery(structureQuery)
  const [to, setTo] = useState<string | null>(ROOT)
  const move = useMutation({
    mutationFn: () => request('POST /upload/actions/bulk-move', { body: { fileIds, folderIds, destinationFolderId: to === ROOT ? null : Number(to) } }),
    onSuccess: async () => {
      await refreshMedia()
      onDone()
    },
  })
  return (
    <Modal opened onClose={onClose} title={t('media.move')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack gap="sm">
        <Select
          searchable
          allowDeselect={false}
          label={t('media.moveTo')}
          data={[{ value: ROOT, label: t('media.library') }, ...pathsOf(withoutFolders(structure.data ?? [], folderIds)).map(({ id, path }) => ({ value: String(id), label: path }))]}
          value={to}
          onChange={setTo}
        />
        <FormError error={move.error} />
        <Group justify="flex-end"><Button loading={move.isPending} onClick={() => move.mutate()}>{t('media.move')}</Button></Group>
      </Stack>
    </Modal>
  )
}

/** Ask before files and folders are deleted, and say what uses them. */
export function DeleteDialog({ files, folders, onClose, onDone }: { files: MediaFile[]; folders: Folder[] } & Done) {
  const { t } = useTranslation()
  const usage = useQuery(usageQuery(files.map((file) => file.id)))
  const used = usage.data?.filter(isUsed) ?? []
  const nameOf = (id: number) => files.find((file) => file.id === id)?.name
  const unused = files.filter(({ id }) => usage.data?.some((one) => one.id === id && !isUsed(one)))
  // Somebody has deleted them since they were chosen.
  const missing = usage.data ? files.filter(({ id }) => !usage.data.some((one) => one.id === id)) : []
  const remove = useMutation({
    mutationFn: async () => (await request('POST /upload/actions/bulk-delete', { body: { fileIds: files.map((file) => file.id), folderIds: folders.map((folder) => folder.id) } })).data as unknown as Deleted,
    onSuccess: async (deleted) => {
      const count = deleted.files.length + deleted.folders.length
      const left = files.length + folders.length - count
      toast([count > 0 && t('media.deleted', { count }), left > 0 && t('media.missing', { count: left })].filter(Boolean).join(' '))
      await refreshMedia()
      onDone()
    },
  })
  return (
    <Modal opened onClose={onClose} title={t('media.deleteTitle', { count: files.length + folders.length })} size="lg" closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack gap="sm">
        {folders.length > 0 && <Alert color="yellow" p="xs">{t('media.deleteFolders')}</Alert>}
        <Stack gap="sm" mah={300} style={{ overflowY: 'auto' }} tabIndex={0} role="region" aria-label={t('media.usedIn')}>
          {folders.map((folder) => <Text key={`folder ${folder.id}`} size="sm" fw={500}>{folder.name}</Text>)}
          {usage.error && <ErrorState error={usage.error} retry={() => void usage.refetch()} />}
          {usage.isPending && <Loading rows={2} height={20} />}
          {used.map((one) => (
            <div key={one.id}>
              <Text size="sm" fw={500}>{nameOf(one.id)}</Text>
              <Uses {...one} />
            </div>
          ))}
          {missing.length > 0 && <Text size="sm" style={{ overflowWrap: 'anywhere' }}>{t('media.missing', { count: missing.length })} {missing.map((file) => file.name).join(', ')}</Text>}
          {unused.length > 0 && <Text size="sm" style={{ overflowWrap: 'anywhere' }}>{t('media.unused', { count: unused.length, names: unused.map((file) => file.name).join(', ') })}</Text>}
        </Stack>
        <Text size="sm" c="dimmed">{t('media.deleteHint')}</Text>
        <FormError error={remove.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
          <Button color="red.9" loading={remove.isPending} onClick={() => remove.mutate()}>{t('action.delete')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
