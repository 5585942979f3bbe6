import { Alert, Button, Center, Group, Modal, NumberInput, Select, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import ReactCrop, { centerCrop, makeAspectCrop } from 'react-image-crop'
import 'react-image-crop/dist/ReactCrop.css'
import { request } from '../api/client'
import { useAbility } from '../api/hooks'
import { keys } from '../api/keys'
import type { MediaFile } from '../api/types'
import { FormError } from '../auth/AuthPage'
import { queries } from '../queries'
import { areaOf, changedSide, percentOf, SIDES, type Area, type Size } from './crop'
import { addressOf } from './files'

const ASPECTS = ['1:1', '4:3', '3:2', '16:9', '3:4', '2:3', '9:16'] as const
const FREE = 'free'
const ORIGINAL = 'original'

type Props = { file: MediaFile; onClose: () => void; onDone: (file: MediaFile, isCopy: boolean) => void }

/** Choose an area of an image, which becomes a copy beside it, or takes its place. */
export function CropDialog({ file, onClose, onDone }: Props) {
  const { t } = useTranslation()
  const ability = useAbility()
  const [size, setSize] = useState<Size | null>(null)
  const [area, setArea] = useState<Area | null>(null)
  const [aspect, setAspect] = useState<string>(FREE)
  const [isReplacing, setReplacing] = useState(false)
  const [width, height] = aspect.split(':').map(Number)
  const ratio = aspect === FREE || !size ? undefined : aspect === ORIGINAL ? size.width / size.height : (width ?? 1) / (height ?? 1)
  const save = useMutation({
    mutationFn: async (copy: boolean) =>
      (await request('POST /admin/x/media/{id}/crop', { path: { id: file.id }, body: { ...(area as Area), copy } })) as unknown as MediaFile,
    onSuccess: (made, copy) => {
      void queries.invalidateQueries({ queryKey: keys.media })
      onDone(made, copy)
    },
  })
  const choose = (next: string | null) => {
    if (!size || !next) return
    setAspect(next)
    if (next === FREE) return
    const [across, down] = next.split(':').map(Number)
    const wanted = next === ORIGINAL ? size.width / size.height : (across ?? 1) / (down ?? 1)
    setArea(areaOf(centerCrop(makeAspectCrop({ unit: '%', width: 100 }, wanted, size.width, size.height), size.width, size.height), size))
  }
  const isWhole = !area || !size || (area.width === size.width && area.height === size.height)
  const mayCopy = ability.can('plugin::upload.assets.create')
  const mayReplace = ability.can('plugin::upload.assets.update')
  return (
    <Modal opened onClose={onClose} title={t('media.cropTitle', { name: file.name })} size="xl" closeOnClickOutside={isWhole} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs">
          <Select
            w={170}
            allowDeselect={false}
            label={t('media.aspect')}
            value={aspect}
            data={[{ value: FREE, label: t('media.aspect.free') }, { value: ORIGINAL, label: t('media.aspect.original') }, ...ASPECTS.map((value) => ({ value, label: value }))]}
            onChange={choose}
          />
          {SIDES.map((side) => (
            <NumberInput
              key={side}
              w={96}
              min={side === 'width' || side === 'height' ? 1 : 0}
              allowDecimal={false}
              label={t(`media.area.${side}`)}
              suffix=" px"
              disabled={!area}
              value={area?.[side] ?? ''}
              onChange={(value) => area && size && typeof value === 'number' && setArea(changedSide(area, side, value, size, ratio))}
            />
          ))}
        </Group>
        <Center p={8} mah="calc(52vh + 16px)" style={{ overflow: 'hidden' }} dir="ltr">
          <ReactCrop
            crop={area && size ? percentOf(area, size) : undefined}
            aspect={ratio}
            keepSelection
            ruleOfThirds
            ariaLabels={{
              cropArea: t('media.crop.area'), nwDragHandle: t('media.crop.nw'), nDragHandle: t('media.crop.n'), neDragHandle: t('media.crop.ne'),
              eDragHandle: t('media.crop.e'), seDragHandle: t('media.crop.se'), sDragHandle: t('media.crop.s'), swDragHandle: t('media.crop.sw'), wDragHandle: t('media.crop.w'),
            }}
            onChange={(_, percent) => size && percent.width > 0 && percent.height > 0 && setArea(areaOf(percent, size))}
          >
            <img
              src={addressOf(file)}
              alt={file.alternativeText ?? ''}
              style={{ maxHeight: '52vh' }}
              onLoad={(event) => {
                const { naturalWidth, naturalHeight } = event.currentTarget
                setSize({ width: naturalWidth, height: naturalHeight })
                setArea({ left: 0, top: 0, width: naturalWidth, height: naturalHeight })
              }}
            />
          </ReactCrop>
        </Center>
        <Text size="xs" c="dimmed" role="status">{area ? t('media.cropped', { width: area.width, height: area.height }) : t('state.loading')}</Text>
        {isReplacing && <Alert color="red" p="xs" role="alert">{t('media.cropReplaceHint')}</Alert>}
        <FormError error={save.error} />
        {isWhole && !isReplacing && <Text size="xs" c="dimmed" ta="end">{t('media.cropWhole')}</Text>}
        <Group justify="flex-end">
          {isReplacing ? (
            <>
              <Button variant="default" onClick={() => setReplacing(false)}>{t('action.cancel')}</Button>
              <Button color="red.9" loading={save.isPending} onClick={() => save.mutate(false)}>{t('media.cropReplace')}</Button>
            </>
          ) : (
            <>
              {mayReplace && <Button variant="default" disabled={isWhole} onClick={() => setReplacing(true)}>{t('media.cropReplace')}</Button>}
              {mayCopy && <Button loading={save.isPending} disabled={isWhole} onClick={() => save.mutate(true)}>{t('media.cropCopy')}</Button>}
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
