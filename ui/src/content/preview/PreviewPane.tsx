import { ActionIcon, Alert, Box, Code, Group, Loader, SegmentedControl, Text, Tooltip } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { ExternalLink, Monitor, RotateCw, Smartphone, Tablet, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { hasDrafts } from '../../api/hooks'
import type { ContentType, Entry } from '../../api/types'
import { canFrame, previewUrl, type Previews } from './previewUrl'

const DEVICES = { phone: { width: 390, icon: Smartphone }, tablet: { width: 768, icon: Tablet }, desktop: { width: 1280, icon: Monitor } } as const
type Device = keyof typeof DEVICES
const isDevice = (value: string): value is Device => value in DEVICES
const STATUSES = ['draft', 'published'] as const

type Props = { type: ContentType; entry: Entry; locale: string | undefined; previews: Previews; isDirty: boolean; onClose: () => void }

/** The site as it shows the entry, beside the form; it is loaded again when the entry is saved. */
export function PreviewPane({ type, entry, locale, previews, isDirty, onClose }: Props) {
  const { t } = useTranslation()
  const [device, setDevice] = useState<Device>('desktop')
  const [chosen, setStatus] = useState<(typeof STATUSES)[number]>('draft')
  const [reloads, setReloads] = useState(0)
  const { ref, width, height } = useElementSize()
  const isPublished = !hasDrafts(type) || entry.status === 'published' || entry.status === 'modified'
  const status = hasDrafts(type) ? (isPublished ? chosen : 'draft') : 'published'
  const found = previewUrl(previews.previews[type.uid] ?? '', { type, entry, locale, status })
  const url = 'url' in found ? found.url : null
  const frames = url !== null && canFrame(url, previews.frameSources)
  const deviceWidth = DEVICES[device].width
  const scale = width > 0 ? Math.min(1, width / deviceWidth) : 1
  return (
    <Box component="section" aria-label={t('preview.title')} className="quire-preview">
      <Group gap="xs" p={8} wrap="nowrap" className="quire-preview-bar">
        <SegmentedControl
          size="xs"
          aria-label={t('preview.device')}
          value={device}
          onChange={(value) => isDevice(value) && setDevice(value)}
          data={Object.entries(DEVICES).map(([value, { icon: Icon }]) => ({ value, label: <Icon size={14} role="img" aria-label={t(`preview.device.${value}`)} /> }))}
        />
        {hasDrafts(type) && isPublished && (
          <SegmentedControl
            size="xs"
            aria-label={t('preview.version')}
            value={status}
            onChange={(value) => setStatus(value as typeof chosen)}
            data={STATUSES.map((value) => ({ value, label: t(`status.${value}`) }))}
          />
        )}
        <Text size="xs" c="dimmed" role="status" className="quire-ellipsis" style={{ flex: 1 }}>{isDirty && status === 'draft' ? t('preview.unsaved') : ''}</Text>
        <Tooltip label={t('preview.reload')}>
          <ActionIcon aria-label={t('preview.reload')} disabled={!frames} onClick={() => setReloads((count) => count + 1)}><RotateCw size={15} /></ActionIcon>
        </Tooltip>
        {url !== null && (
          <Tooltip label={t('preview.open')}>
            <ActionIcon component="a" href={url} target="_blank" rel="noreferrer" aria-label={t('preview.open')}><ExternalLink size={15} /></ActionIcon>
          </Tooltip>
        )}
        <Tooltip label={t('action.close')}>
          <ActionIcon aria-label={t('preview.close')} onClick={onClose}><X size={16} /></ActionIcon>
        </Tooltip>
      </Group>
      <Box ref={ref} className="quire-preview-frame">
        {'missing' in found && <Alert m="sm" color="gray" p="sm">{t('preview.missing', { name: found.missing })}</Alert>}
        {url !== null && !frames && (
          <Alert m="sm" color="gray" p="sm">
            <Text size="sm" c="inherit">{t('preview.notFramed')}</Text>
            <Code block mt={6} fz="xs" tabIndex={0}>{`[security.content_security_policy]\nframe-src = ["'self'", "${new URL(url, location.href).origin}"]`}</Code>
          </Alert>
        )}
        {url !== null && frames && (
          <Frame
            key={`${url} ${status} ${entry.updatedAt} ${reloads}`}
            url={url}
            style={{ width: deviceWidth, height: height / scale, transform: `scale(${scale})`, marginInlineStart: Math.max(0, (width - deviceWidth) / 2) }}
          />
        )}
      </Box>
    </Box>
  )
}

function Frame({ url, style }: { url: string; style: React.CSSProperties }) {
  const { t } = useTranslation()
  const [isLoaded, setLoaded] = useState(false)
  return (
    <>
      {!isLoaded && <Loader size={16} pos="absolute" m="sm" role="img" aria-label={t('state.loading')} />}
      <iframe
        title={t('preview.title')}
        src={url}
        style={style}
        referrerPolicy="no-referrer"
        // The site may do what it does elsewhere, but not take the place of this page.
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
        onLoad={() => setLoaded(true)}
      />
    </>
  )
}
