import { Anchor, Button, CopyButton, Drawer, FileButton, Group, Loader, Stack, Table, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Copy, Crop, Download, RefreshCw, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { upload } from '../api/client'
import { useAbility } from '../api/hooks'
import { keys } from '../api/keys'
import type { MediaFile } from '../api/types'
import { keepOpenWithInput } from '../components/dialogs'
import { RelativeTime } from '../components/RelativeTime'
import { ErrorState, Loading } from '../components/States'
import { toast, toastError } from '../components/toast'
import { useFieldName } from '../content/fieldNames'
import { queries } from '../queries'
import { canCrop } from './crop'
import { FileForm } from './FileForm'
import { canTransform, sizeText } from './files'
import { usageQuery, type MediaFileUsage, type Usage } from './library'

const CropDialog = lazy(() => import('./CropDialog').then((module) => ({ default: module.CropDialog })))
const TransformBuilder = lazy(() => import('./TransformBuilder').then((module) => ({ default: module.TransformBuilder })))

type Props = { file: MediaFile; onClose: () => void; onChanged: (file: MediaFile) => void; onDelete?: (file: MediaFile) => void }

/** A file of the library: what it shows, its facts, its versions, and where it is used. */
export function FileDrawer({ file, onClose, onChanged, onDelete }: Props) {
  const { t } = useTranslation()
  const ability = useAbility()
  const mayUpdate = ability.can('plugin::upload.assets.update')
  const mayCrop = canCrop(file.mime) && (mayUpdate || ability.can('plugin::upload.assets.create'))
  const [isCropping, setCropping] = useState(false)
  const [isDirty, setDirty] = useState(false)
  const replace = useMutation({
    mutationFn: async (chosen: File) => {
      const form = new FormData()
      form.append('files', chosen)
      form.append('fileInfo', JSON.stringify({ name: file.name, alternativeText: file.alternativeText, caption: file.caption }))
      return (await upload(`/upload/files/${file.id}/replace`, form, () => {})) as MediaFile
    },
    onSuccess: (replaced) => {
      void queries.invalidateQueries({ queryKey: keys.media })
      toast(t('media.replaced'))
      onChanged({ ...file, ...replaced })
    },
    onError: (error) => toastError(error),
  })
  const formats = Object.entries((file.formats ?? {}) as Record<string, { url: string; width?: number; height?: number; size?: number }>)
  return (
    <Drawer opened onClose={onClose} {...keepOpenWithInput(isDirty)} position="right" size="lg" title={file.name} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack gap="md">
        <Group gap="xs">
          <CopyButton value={new URL(file.url, location.href).href}>
            {({ copied, copy }) => <Button variant="default" leftSection={<Copy size={14} />} onClick={copy}>{copied ? t('action.copied') : t('media.copyLink')}</Button>}
          </CopyButton>
          <Button variant="default" component="a" href={file.url} download={file.name} leftSection={<Download size={14} />}>{t('media.download')}</Button>
          {mayUpdate && (
            <FileButton accept={file.mime} onChange={(chosen) => chosen && replace.mutate(chosen)}>
              {(props) => <Button variant="default" leftSection={<RefreshCw size={14} />} loading={replace.isPending} {...props}>{t('media.replaceFile')}</Button>}
            </FileButton>
          )}
          {mayCrop && <Button variant="default" leftSection={<Crop size={14} />} onClick={() => setCropping(true)}>{t('media.crop')}</Button>}
          {isCropping && (
            <Suspense fallback={<Loader size={14} role="img" aria-label={t('state.loading')} />}>
              <CropDialog
                file={file}
                onClose={() => setCropping(false)}
                onDone={(made, isCopy) => {
                  setCropping(false)
                  toast(t(isCopy ? 'media.cropCopied' : 'media.replaced'))
                  onChanged(isCopy ? made : { ...file, ...made })
                }}
              />
            </Suspense>
          )}
          {onDelete && <Button variant="light" color="red" leftSection={<Trash2 size={14} />} onClick={() => onDelete(file)}>{t('action.delete')}</Button>}
        </Group>
        <FileForm key={`${file.id} ${file.url}`} file={file} onDirty={setDirty} onSaved={(saved) => { toast(t('entry.saved')); onChanged({ ...file, ...saved }) }} />
        <Text size="xs" c="dimmed">
          {[file.mime, file.width && file.height ? `${file.width} × ${file.height}` : null, sizeText(file.size)].filter(Boolean).join(' · ')}
          {file.createdAt && <> · <RelativeTime at={file.createdAt} inherit /></>}
        </Text>
        {formats.length > 0 && (
          <section aria-label={t('media.formats')}>
            <Title order={2} mb={4}>{t('media.formats')}</Title>
            <Table className="quire-table">
              <Table.Tbody>
                {formats.map(([name, format]) => (
                  <Table.Tr key={name}>
                    <Table.Td><Anchor size="sm" href={format.url} target="_blank" rel="noreferrer">{name}</Anchor></Table.Td>
                    <Table.Td>{format.width} × {format.height}</Table.Td>
                    <Table.Td>{sizeText(format.size)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </section>
        )}
        {canTransform(file.mime) && (
          <section aria-label={t('media.transform')}>
            <Title order={2} mb={4}>{t('media.transform')}</Title>
            <Suspense fallback={<Loading rows={1} height={30} />}><TransformBuilder file={file} /></Suspense>
          </section>
        )}
        <section aria-label={t('media.usedIn')}>
          <Title order={2} mb={4}>{t('media.usedIn')}</Title>
          <UsedIn id={file.id} />
        </section>
      </Stack>
    </Drawer>
  )
}

function UsedIn({ id }: { id: number }) {
  const { t } = useTranslation()
  const usage = useQuery(usageQuery([id]))
  if (usage.error) return <ErrorState error={usage.error} retry={() => void usage.refetch()} />
  if (!usage.data) return <Loading rows={2} height={20} />
  const used = usage.data.filter(isUsed)
  if (used.length === 0) return <Text size="sm" c="dimmed">{t('media.notUsed')}</Text>
  return used.map((file) => <Uses key={file.id} {...file} />)
}

export const isUsed = ({ entries, hidden }: MediaFileUsage): boolean => entries.length > 0 || hidden > 0

/** Entries that use a file, each named once for its versions. */
export function Uses({ entries, hidden }: MediaFileUsage) {
  const { t } = useTranslation()
  const distinct = new Map(entries.map((one) => [`${one.contentTypeUid} ${one.documentId} ${one.locale} ${one.field}`, one]))
  return (
    <Stack gap={2}>
      {[...distinct].map(([key, one]) => <Use key={key} {...one} />)}
      {hidden > 0 && <Text size="sm" c="dimmed">{t('media.usedHidden', { count: hidden })}</Text>}
    </Stack>
  )
}

/** An entry that uses a file, and the field that does. */
function Use({ kind, contentTypeUid: uid, contentTypeDisplayName: typeName, documentId, locale, title, field }: Usage) {
  const { t } = useTranslation()
  const nameOf = useFieldName(uid)
  return (
    <Text size="sm">
      {kind === 'singleType' ? (
        <Anchor component={Link} to={`/content/${uid}`} inherit underline="always">{typeName}</Anchor>
      ) : (
        <Anchor component={Link} to={`/content/${uid}/${documentId}${locale ? `?locale=${locale}` : ''}`} inherit underline="always">{title ?? t('entry.untitled')}</Anchor>
      )}{' '}
      <Text span c="dimmed" inherit>{[typeName, field && nameOf(field.split('.')), locale].filter(Boolean).join(' · ')}</Text>
    </Text>
  )
}
