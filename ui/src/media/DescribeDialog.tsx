import { Box, Button, Group, Modal, Table, Text, Textarea, VisuallyHidden } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { keys } from '../api/keys'
import type { MediaFile } from '../api/types'
import { FormError } from '../auth/AuthPage'
import { keepOpenWithInput } from '../components/dialogs'
import { ErrorState, Loading } from '../components/States'
import { refreshMedia, type Done } from './dialogs'
import { loadFiles } from './library'
import { Thumbnail } from './Thumbnail'

const FIELDS = ['alternativeText', 'caption'] as const
type Texts = Record<(typeof FIELDS)[number], string>

/** The alternative texts and captions of several files in one table, as they are now rather than when they were selected. */
export function DescribeDialog({ files, onClose, onDone }: { files: MediaFile[] } & Done) {
  const { t } = useTranslation()
  const [isDirty, setDirty] = useState(false)
  const ids = files.map((file) => file.id)
  const current = useQuery({
    queryKey: [...keys.media, 'described', ids],
    gcTime: 0,
    refetchOnWindowFocus: false,
    queryFn: () => loadFiles(ids),
  })
  return (
    <Modal opened onClose={onClose} title={t('media.describe')} size="min(960px, 96vw)" {...keepOpenWithInput(isDirty)} closeButtonProps={{ 'aria-label': t('action.close') }}>
      {current.error && <ErrorState error={current.error} retry={() => void current.refetch()} />}
      {!current.data && !current.error && <Loading rows={3} height={72} />}
      {current.data && <Descriptions files={current.data} onDirty={setDirty} onClose={onClose} onDone={onDone} />}
    </Modal>
  )
}

function Descriptions({ files, onDirty, onClose, onDone }: { files: MediaFile[]; onDirty: (isDirty: boolean) => void } & Done) {
  const { t } = useTranslation()
  const fields = useRef<HTMLTableSectionElement>(null)
  const form = useForm({
    // Each key would otherwise draw all rows anew.
    mode: 'uncontrolled',
    initialValues: { texts: files.map((file): Texts => ({ alternativeText: file.alternativeText ?? '', caption: file.caption ?? '' })) },
    onValuesChange: () => onDirty(form.isDirty()),
  })
  const save = useMutation({
    mutationFn: async ({ texts }: { texts: Texts[] }) => {
      const updates = files.flatMap((file, index) => {
        const changed = FIELDS.filter((name) => texts[index]?.[name] !== (file[name] ?? ''))
        return changed.length === 0 ? [] : [{ id: file.id, fileInfo: Object.fromEntries(changed.map((name) => [name, texts[index]?.[name]])) }]
      })
      if (updates.length > 0) await request('POST /upload/actions/bulk-update', { body: { updates } })
    },
    onSuccess: async () => {
      await refreshMedia()
      onDone()
    },
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Text size="sm" c="dimmed" mb="xs">{t('media.alternativeHint')} {t('media.describe.keys')}</Text>
      <Box style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={t('media.describe')}>
        <Table className="quire-table quire-descriptions" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={108}><VisuallyHidden>{t('media.preview')}</VisuallyHidden></Table.Th>
              <Table.Th w="22%">{t('media.name')}</Table.Th>
              <Table.Th>{t('media.alternative')}</Table.Th>
              <Table.Th>{t('media.caption')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody ref={fields}>
            {files.map((file, index) => (
              <Table.Tr key={file.id} data-row={index} style={{ verticalAlign: 'top' }}>
                <Table.Td><Box w={96} h={64} style={{ overflow: 'hidden', borderRadius: 4 }}><Thumbnail file={file} /></Box></Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{file.name}</Table.Td>
                {FIELDS.map((name) => (
                  <Table.Td key={name}>
                    <Textarea
                      size="xs"
                      autosize
                      minRows={2}
                      maxRows={6}
                      label={t(name === 'caption' ? 'media.caption' : 'media.alternative')}
                      labelProps={{ hiddenFrom: 'sm' }}
                      data-autofocus={(index === 0 && name === 'alternativeText') || undefined}
                      aria-label={t(`media.describe.${name}`, { name: file.name })}
                      onKeyDown={(event) => {
                        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
                        event.preventDefault()
                        fields.current?.querySelector<HTMLElement>(`[data-row="${index + 1}"] [data-field=${name}]`)?.focus()
                      }}
                      data-field={name}
                      key={form.key(`texts.${index}.${name}`)}
                      {...form.getInputProps(`texts.${index}.${name}`)}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
      <FormError error={save.error} />
      <Group justify="flex-end" gap="xs" pt="sm" pos="sticky" bottom={0} className="quire-dialog-foot">
        <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
        <Button type="submit" loading={save.isPending}>{t('action.save')}</Button>
      </Group>
    </form>
  )
}
