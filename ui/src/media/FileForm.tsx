import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { useAbility } from '../api/hooks'
import { keys } from '../api/keys'
import type { MediaFile } from '../api/types'
import { FormError } from '../auth/AuthPage'
import { queries } from '../queries'
import { FilePreview, type FocalPoint } from './FilePreview'

/** Name, alternative text, caption and focal point of a file: they hold wherever it is used. */
export function FileForm({ file, onDirty, onSaved }: { file: MediaFile; onDirty: (isDirty: boolean) => void; onSaved: (file: MediaFile) => void }) {
  const { t } = useTranslation()
  const mayUpdate = useAbility().can('plugin::upload.assets.update')
  const form = useForm({
    initialValues: {
      name: file.name,
      alternativeText: file.alternativeText ?? '',
      caption: file.caption ?? '',
      focalPoint: ((file as { focalPoint?: FocalPoint | null }).focalPoint ?? null) as FocalPoint | null,
    },
  })
  const isDirty = form.isDirty()
  useEffect(() => onDirty(isDirty), [isDirty, onDirty])
  const save = useMutation({
    mutationFn: async (fileInfo: typeof form.values) =>
      (await request('PUT /upload/files/{id}', { path: { id: file.id }, body: { fileInfo } as never })) as unknown as MediaFile,
    onSuccess: (saved, sent) => {
      // What was typed meanwhile is not saved.
      form.resetDirty(sent)
      void queries.invalidateQueries({ queryKey: keys.media })
      onSaved(saved)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.stopPropagation()
        form.onSubmit((values) => save.mutate(values))(event)
      }}
    >
      <Stack gap="sm">
        <FilePreview
          file={file}
          focalPoint={form.values.focalPoint}
          onFocalPoint={mayUpdate ? (point) => form.setFieldValue('focalPoint', point) : undefined}
        />
        <TextInput label={t('media.name')} readOnly={!mayUpdate} {...form.getInputProps('name')} />
        <Textarea label={t('media.alternative')} description={file.mime.startsWith('image/') ? t('media.alternativeHint') : undefined} autosize minRows={2} readOnly={!mayUpdate} data-autofocus {...form.getInputProps('alternativeText')} />
        <TextInput label={t('media.caption')} readOnly={!mayUpdate} {...form.getInputProps('caption')} />
        <FormError error={save.error} />
        <Group justify="space-between">
          <Button variant="subtle" color="gray" component="a" href={file.url} target="_blank" rel="noreferrer">{t('media.open')}</Button>
          {mayUpdate ? <Button type="submit" loading={save.isPending}>{t('action.save')}</Button> : <Text size="xs" c="dimmed">{t('media.readOnly')}</Text>}
        </Group>
      </Stack>
    </form>
  )
}
