import { ActionIcon, Box, Group, Modal, SegmentedControl, Stack, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Expand, Minimize2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useField } from '../../content/editor/store'
import { FieldFrame } from '../shared/Frame'
import type { InputProps } from '../types'
import { Preview } from './Preview'
import { Source } from './Source'
import { useImages } from './useImages'

type Mode = 'write' | 'split' | 'preview'

/** Markdown as text, with a preview of what it becomes beside it or in its place. */
export default function MarkdownInput(props: InputProps) {
  const { t } = useTranslation()
  const [chosen, setMode] = useState<Mode>('write')
  const [full, setFull] = useState(false)
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false })
  const { value, error, set } = useField<string | null | undefined>(props.path)
  const source = useRef<HTMLTextAreaElement>(null)
  const preview = useRef<HTMLDivElement>(null)
  const link = useLinkedScroll()
  const text = value ?? ''
  const images = useImages({ area: source, text, set, locked: Boolean(props.locked) })
  const mode = chosen === 'split' && !isWide ? 'write' : chosen
  const isSplit = mode === 'split'
  const height = full ? 'calc(100dvh - 132px)' : isSplit ? 420 : undefined
  const controls = (
    <Group gap={4} wrap="nowrap">
      <SegmentedControl
        size="xs"
        aria-label={t('markdown.mode', { field: props.label })}
        value={mode}
        onChange={(changed) => setMode(changed as Mode)}
        data={[
          { value: 'write', label: t('markdown.write') },
          ...(isWide ? [{ value: 'split', label: t('markdown.split') }] : []),
          { value: 'preview', label: t('markdown.preview') },
        ]}
      />
      <Tooltip label={full ? t('blocks.smaller') : t('blocks.full')}>
        <ActionIcon aria-label={full ? t('blocks.smaller') : t('blocks.full')} onClick={() => setFull(!full)}>
          {full ? <Minimize2 size={15} /> : <Expand size={15} />}
        </ActionIcon>
      </Tooltip>
    </Group>
  )
  const panes = (
    <Box bd="1px solid var(--mantine-color-default-border)" style={{ borderRadius: 6, display: 'grid', gridTemplateColumns: isSplit ? '1fr 1fr' : '1fr' }} className="quire-surface">
      {mode !== 'preview' && (
        <Source {...props} text={text} set={set} area={source} images={images} height={height} onScroll={() => isSplit && link(source.current, preview.current)} />
      )}
      {mode !== 'write' && (
        <Preview ref={preview} label={props.label} text={text} height={height} isBeside={isSplit} onScroll={() => isSplit && link(preview.current, source.current)} />
      )}
    </Box>
  )
  return (
    <FieldFrame {...props} error={error} side={full ? undefined : controls}>
      {full ? (
        <Modal opened fullScreen onClose={() => setFull(false)} title={props.label} closeButtonProps={{ 'aria-label': t('action.close') }}>
          <Stack gap="xs">
            <Group justify="flex-end">{controls}</Group>
            {panes}
          </Stack>
        </Modal>
      ) : (
        panes
      )}
    </FieldFrame>
  )
}

/** Scroll one of two panes to the same share of its height as the other one. */
function useLinkedScroll() {
  const moved = useRef<{ pane: HTMLElement; top: number } | null>(null)
  return (from: HTMLElement | null, to: HTMLElement | null) => {
    if (!from || !to) return
    // The pane that follows reports that it has scrolled, too, unless it was scrolled on meanwhile.
    const { pane, top: expected } = moved.current ?? {}
    moved.current = null
    if (pane === from && Math.abs(from.scrollTop - (expected ?? 0)) < 1) return
    const top = Math.round((from.scrollTop / Math.max(1, from.scrollHeight - from.clientHeight)) * (to.scrollHeight - to.clientHeight))
    if (Math.abs(to.scrollTop - top) < 1) return
    to.scrollTop = top
    moved.current = { pane: to, top: to.scrollTop }
  }
}
