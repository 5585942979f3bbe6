import { ActionIcon, Box, CopyButton, Group, NumberInput, Select, SegmentedControl, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import type { Operations } from '../api/generated'
import { keys } from '../api/keys'
import type { MediaFile } from '../api/types'
import { Loading } from '../components/States'
import { messageOf } from '../components/errors'
import { sizeText } from './files'

const SAME = 'same'
const PAUSE = 250

type TransformRules = Operations['GET /admin/x/media/transforms']['response']['data']

const rulesQuery = queryOptions({
  queryKey: [...keys.media, 'transforms'],
  queryFn: async () => (await request('GET /admin/x/media/transforms')).data,
})

type Wanted = { w: number | undefined; h: number | undefined; fit: 'inside' | 'cover'; format: string; q: number }

/** The address of an image in another size and type, with what it looks like. */
export function TransformBuilder({ file }: { file: MediaFile }) {
  const { t } = useTranslation()
  const rules = useQuery(rulesQuery)
  if (!rules.data) return <Loading rows={1} height={30} />
  if (rules.data.sizes.length === 0 && !rules.data.signs) {
    return <Text size="sm" c="dimmed">{t('media.transform.off')} <code>uploads.transform_sizes</code></Text>
  }
  return <Builder file={file} rules={rules.data} />
}

function Builder({ file, rules }: { file: MediaFile; rules: TransformRules }) {
  const { t } = useTranslation()
  const [wanted, setWanted] = useState<Wanted>({ w: rules.sizes[0] ?? 640, h: undefined, fit: 'inside', format: SAME, q: 80 })
  const [asked] = useDebouncedValue(wanted, PAUSE)
  const isComplete = asked.fit === 'cover' ? asked.w !== undefined && asked.h !== undefined : asked.w !== undefined || asked.h !== undefined
  const address = useQuery({
    queryKey: [...keys.media, 'transform', file.id, file.url, asked],
    enabled: isComplete,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async () => {
      const { format, fit, ...sides } = asked
      const query = { ...sides, fit, format: format === SAME ? undefined : format }
      return (await request('GET /admin/x/media/{id}/transform', { path: { id: file.id }, query })).data
    },
  })
  const change = (values: Partial<Wanted>) => setWanted((all) => ({ ...all, ...values }))
  const url = address.data && new URL(address.data.url, location.href).href
  const side = (name: 'w' | 'h') => {
    const label = t(`media.transform.${name}`)
    if (rules.signs) {
      return <NumberInput size="xs" w={90} label={label} min={1} max={rules.largest} allowDecimal={false} value={wanted[name] ?? ''} onChange={(value) => change({ [name]: typeof value === 'number' ? value : undefined })} />
    }
    return <Select size="xs" w={90} label={label} clearable clearButtonProps={{ 'aria-label': t('action.clear') }} value={wanted[name] === undefined ? null : String(wanted[name])} data={rules.sizes.map(String)} onChange={(value) => change({ [name]: value ? Number(value) : undefined })} />
  }
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        {side('w')}
        {side('h')}
        <div>
          <Text size="xs" fw={600} mb={2} id="transform-fit">{t('media.transform.fit')}</Text>
          <SegmentedControl
            size="xs"
            aria-labelledby="transform-fit"
            value={wanted.fit}
            onChange={(fit) => change({ fit: fit as Wanted['fit'] })}
            data={[{ value: 'inside', label: t('media.transform.inside') }, { value: 'cover', label: t('media.transform.cover') }]}
          />
        </div>
        <Select size="xs" w={100} label={t('media.transform.format')} allowDeselect={false} value={wanted.format} data={[{ value: SAME, label: t('media.transform.same') }, ...rules.formats.map((value) => ({ value, label: value.toUpperCase() }))]} onChange={(format) => format && change({ format })} />
        <Select size="xs" w={80} label={t('media.transform.quality')} allowDeselect={false} value={String(wanted.q)} data={rules.qualities.map(String)} onChange={(q) => q && change({ q: Number(q) })} />
      </Group>
      {!isComplete && <Text size="xs" c="dimmed" role="status">{t(asked.fit === 'cover' ? 'media.transform.needsBoth' : 'media.transform.needsSide')}</Text>}
      {isComplete && address.error && <Text size="xs" c="var(--mantine-color-error)" role="alert">{messageOf(address.error)}</Text>}
      {isComplete && address.data && url && !address.error && (
        <>
          <TextInput
            size="xs"
            readOnly
            label={t('media.transform.url')}
            description={address.data.signed ? t('media.transform.signed') : undefined}
            value={url}
            onFocus={(event) => event.currentTarget.select()}
            rightSection={
              <CopyButton value={url}>
                {({ copied, copy }) => (
                  <Tooltip label={copied ? t('action.copied') : t('action.copy')}>
                    <ActionIcon size="sm" aria-label={t('media.transform.copy')} onClick={copy}>{copied ? <Check size={13} /> : <Copy size={13} />}</ActionIcon>
                  </Tooltip>
                )}
              </CopyButton>
            }
          />
          <Preview key={address.data.url} url={address.data.url} />
        </>
      )}
    </Stack>
  )
}

/** An image as its address gives it, with its size in pixels and in bytes. */
function Preview({ url }: { url: string }) {
  const { t } = useTranslation()
  const [size, setSize] = useState<{ width: number; height: number } | null>(null)
  const bytes = size ? (performance.getEntriesByName(new URL(url, location.href).href).at(-1) as PerformanceResourceTiming | undefined)?.encodedBodySize : undefined
  return (
    <Box className="quire-drop" p={6} ta="center">
      <img
        src={url}
        alt={t('media.transform.preview')}
        style={{ maxWidth: '100%', maxHeight: 240 }}
        onLoad={({ currentTarget }) => setSize({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })}
      />
      <Text size="xs" c="dimmed" role="status">
        {size ? [`${size.width} × ${size.height}`, bytes ? sizeText(bytes / 1000) : null].filter(Boolean).join(' · ') : t('state.loading')}
      </Text>
    </Box>
  )
}
