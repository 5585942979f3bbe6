import { Box, Button, Group, NumberInput, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MediaFile } from '../api/types'
import { addressOf } from './files'
import { Thumbnail } from './Thumbnail'

/** What a crop keeps in sight, in percent of width and height. */
export type FocalPoint = { x: number; y: number }

const CENTER: FocalPoint = { x: 50, y: 50 }
const AXES = [['x', 'media.focalPointLeft'], ['y', 'media.focalPointTop']] as const

type Props = { file: MediaFile; focalPoint: FocalPoint | null; onFocalPoint?: (point: FocalPoint | null) => void }

/** A file as far as a browser can show it; a click on an image sets its focal point, as numbers do. */
export function FilePreview({ file, focalPoint, onFocalPoint }: Props) {
  const { t } = useTranslation()
  const group = file.mime.split('/')[0]
  if (group === 'video') return <video controls src={addressOf(file)} style={{ width: '100%', maxHeight: 260 }} aria-label={file.name} />
  if (group === 'audio') return <audio controls src={addressOf(file)} style={{ width: '100%' }} aria-label={file.name} />
  if (file.mime === 'application/pdf') return <PdfPreview file={file} />
  if (group !== 'image') return <Box h={120} className="quire-drop"><Thumbnail file={file} size={40} /></Box>
  return (
    <div>
      <Box className="quire-drop" ta="center" style={{ overflow: 'hidden' }}>
        <span style={{ position: 'relative', display: 'inline-block', verticalAlign: 'top' }}>
          <img
            src={addressOf(file)}
            alt={file.alternativeText ?? ''}
            style={{ display: 'block', maxWidth: '100%', maxHeight: 260, cursor: onFocalPoint ? 'crosshair' : undefined }}
            onClick={(event) => {
              const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
              onFocalPoint?.({ x: Math.round((100 * (event.clientX - left)) / width), y: Math.round((100 * (event.clientY - top)) / height) })
            }}
          />
          {focalPoint && <span className="quire-focal-point" style={{ left: `${focalPoint.x}%`, top: `${focalPoint.y}%` }} aria-hidden />}
        </span>
      </Box>
      {onFocalPoint && (
        <Group gap="xs" mt={4} align="flex-end">
          <Text size="xs" c="dimmed" role="status" flex="1 1 180px" mb={4}>{focalPoint ? t('media.focalPoint', focalPoint) : t('media.focalPointHint')}</Text>
          {focalPoint && <Button size="compact-xs" variant="subtle" mb={2} onClick={() => onFocalPoint(null)}>{t('action.clear')}</Button>}
          {AXES.map(([axis, label]) => (
            <NumberInput
              key={axis}
              size="xs"
              w={104}
              min={0}
              max={100}
              allowDecimal={false}
              clampBehavior="strict"
              suffix=" %"
              label={t(label)}
              value={focalPoint?.[axis] ?? ''}
              onChange={(value) => typeof value === 'number' && onFocalPoint({ ...(focalPoint ?? CENTER), [axis]: value })}
            />
          ))}
        </Group>
      )}
    </div>
  )
}

// Without the list of pages beside it, which Chromium and Firefox hide by one parameter each.
const PDF_VIEW = '#view=FitH&navpanes=0&pagemode=none'

/** A PDF in the viewer of the browser, unless that has none or the file is on another host. */
function PdfPreview({ file }: { file: MediaFile }) {
  const { t } = useTranslation()
  const address = addressOf(file)
  if (navigator.pdfViewerEnabled && new URL(address, window.location.href).origin === window.location.origin) {
    return <iframe src={`${address}${PDF_VIEW}`} title={file.name} className="quire-drop" style={{ display: 'block', width: '100%', height: 420 }} />
  }
  return (
    <div>
      <Box h={120} className="quire-drop"><Thumbnail file={file} size={40} /></Box>
      <Text size="xs" c="dimmed" mt={4}>{t('media.noPdfPreview')}</Text>
    </div>
  )
}
