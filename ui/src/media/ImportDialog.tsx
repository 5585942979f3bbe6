import { Button, Group, Modal, Stack, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { FormError } from '../auth/AuthPage'
import { keepOpenWithInput } from '../components/dialogs'
import { t as translate } from '../i18n'
import { refreshMedia, type Done } from './dialogs'
import { runFileJob } from './fileJobs'

const MOST = 200
const linesOf = (text: string) => text.split('\n').map((line) => line.trim()).filter(Boolean)

const importFile = (url: string, folder: number | null, signal?: AbortSignal) =>
  request('POST /admin/x/media/import', { body: { url, fileInfo: { folder } }, signal })

/** Fetch files from other servers: one while the dialog waits, several as a job. */
export function ImportDialog({ folder, onClose, onDone }: { folder: number | null } & Done) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: { urls: '' },
    validate: {
      urls: (text) => {
        const lines = linesOf(text)
        if (lines.length > MOST) return t('media.urlsMost', { count: MOST })
        return lines.length > 0 && lines.every((line) => /^https?:\/\/\S+$/.test(line)) ? null : t('media.urlInvalid')
      },
    },
  })
  const fetchFiles = useMutation({
    mutationFn: async ({ urls }: { urls: string }) => {
      const [first = '', ...others] = linesOf(urls)
      if (others.length > 0) void importAll([first, ...others], folder)
      else await importFile(first, folder)
    },
    onSuccess: async () => {
      await refreshMedia()
      onDone()
    },
  })
  return (
    <Modal opened onClose={onClose} {...keepOpenWithInput(form.isDirty())} title={t('media.import')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form onSubmit={form.onSubmit((values) => fetchFiles.mutate(values))} noValidate>
        <Stack gap="sm">
          <Textarea
            label={t('media.urls')}
            description={t('media.urlsHint')}
            placeholder="https://"
            autosize
            minRows={2}
            maxRows={10}
            data-autofocus
            {...form.getInputProps('urls')}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.nativeEvent.isComposing && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
            }}
          />
          <FormError error={fetchFiles.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" loading={fetchFiles.isPending}>{t('media.import')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const importAll = (urls: string[], folder: number | null): Promise<void> =>
  runFileJob({
    title: translate('media.importTitle', { count: urls.length }),
    items: urls,
    nameOf: (url) => url,
    send: async (url, signal) => void (await importFile(url, folder, signal)),
    again: (left) => void importAll(left, folder),
  })
