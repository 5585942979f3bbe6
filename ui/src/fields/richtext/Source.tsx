import { Box, Button, Group, Text, Textarea } from '@mantine/core'
import { Bold, Code, Heading, Image, Italic, Link, List, ListOrdered, Quote } from 'lucide-react'
import type { ClipboardEvent, RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import { openMediaDialog } from '../../media/openMediaDialog'
import { useTextLanguage } from '../shared/direction'
import { Tool, Toolbar } from '../shared/Toolbar'
import type { InputProps } from '../types'
import { markdownOfTables } from './pastedTables'
import { imageText, type Images } from './useImages'

type Edit = { label: string; icon: typeof Bold; before: string; after?: string; line?: boolean }

type Props = InputProps & {
  text: string
  set: (text: string | null) => void
  area: RefObject<HTMLTextAreaElement | null>
  images: Images
  /** Absent where the area is as high as its text. */
  height?: number | string
  onScroll: () => void
}

/** The text, with a toolbar that writes Markdown into it. */
export function Source({ text, set, area, images, height, onScroll, ...props }: Props) {
  const { t } = useTranslation()
  const language = useTextLanguage()
  const edits: Edit[] = [
    { label: t('markdown.heading'), icon: Heading, before: '## ', line: true },
    { label: t('markdown.bold'), icon: Bold, before: '**', after: '**' },
    { label: t('markdown.italic'), icon: Italic, before: '_', after: '_' },
    { label: t('markdown.link'), icon: Link, before: '[', after: '](https://)' },
    { label: t('markdown.list'), icon: List, before: '- ', line: true },
    { label: t('markdown.numbers'), icon: ListOrdered, before: '1. ', line: true },
    { label: t('markdown.quote'), icon: Quote, before: '> ', line: true },
    { label: t('markdown.code'), icon: Code, before: '`', after: '`' },
  ]
  const apply = (edit: Edit) => {
    const element = area.current
    if (!element) return
    const { selectionStart: start, selectionEnd: end } = element
    const from = edit.line ? text.lastIndexOf('\n', start - 1) + 1 : start
    const chosen = text.slice(from, end)
    const inner = edit.line ? chosen.split('\n').map((line) => edit.before + line).join('\n') : edit.before + chosen + (edit.after ?? '')
    set(text.slice(0, from) + inner + text.slice(end))
    requestAnimationFrame(() => {
      element.focus()
      const at = edit.line ? from + inner.length : from + edit.before.length
      element.setSelectionRange(at, edit.line ? at : at + chosen.length)
    })
  }
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const table = props.locked ? null : markdownOfTables(event.clipboardData.getData('text/html'))
    if (table === null) return images.handlers.onPaste?.(event)
    event.preventDefault()
    // A table begins after an empty line.
    const gap = /(^|\n\n)$/.exec(text.slice(0, event.currentTarget.selectionStart)) ? '' : '\n\n'
    // As if it was typed: the area reports it, and the browser can undo it.
    document.execCommand('insertText', false, `${gap}${table}\n`)
  }
  const chooseImages = () => {
    const at = images.mark(area.current?.selectionStart ?? text.length)
    openMediaDialog({ multiple: true, allowedTypes: ['images'], onSelect: (files) => images.insert(at, files.map(imageText).join('\n')) })
  }
  const fills = height !== undefined
  return (
    <Box style={{ height, minWidth: 0, display: fills ? 'flex' : undefined, flexDirection: 'column' }}>
      {!props.locked && (
        <Toolbar label={t('markdown.toolbar', { field: props.label })}>
          {edits.map((edit) => <Tool key={edit.label} label={edit.label} onClick={() => apply(edit)}><edit.icon size={15} /></Tool>)}
          <Tool label={t('markdown.image')} onClick={chooseImages}><Image size={15} /></Tool>
        </Toolbar>
      )}
      <Textarea
        ref={area}
        {...language}
        variant="unstyled"
        autosize={!fills}
        minRows={6}
        maxRows={24}
        aria-label={props.label}
        readOnly={Boolean(props.locked)}
        placeholder={props.meta?.placeholder || undefined}
        value={text}
        onChange={(event) => {
          images.follow(event.currentTarget.value)
          set(event.currentTarget.value || null)
        }}
        onScroll={onScroll}
        {...images.handlers}
        onPaste={paste}
        onKeyDown={(event) => {
          if (!(event.ctrlKey || event.metaKey)) return
          const edit = event.key === 'b' ? edits[1] : event.key === 'i' ? edits[2] : undefined
          if (!edit) return
          event.preventDefault()
          apply(edit)
        }}
        style={fills ? { flex: 1, minHeight: 0 } : undefined}
        styles={{
          wrapper: fills ? { height: '100%' } : {},
          input: { padding: '8px 12px', fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13, ...(fills ? { height: '100%', resize: 'none' } : {}) },
        }}
      />
      {images.uploads.map((one) => (
        <Group key={one.id} gap="xs" px={12} pb={4}>
          <Text size="xs" className="quire-ellipsis" style={{ flex: 1 }} c={one.error ? 'var(--mantine-color-error)' : undefined} role="status">
            {one.name}: {one.error ?? `${Math.round(one.share * 100)} %`}
          </Text>
          {one.error && <Button size="compact-xs" variant="subtle" onClick={one.retry}>{t('action.retry')}</Button>}
          <Button size="compact-xs" variant="subtle" color="gray" onClick={one.cancel}>{t('action.cancel')}</Button>
        </Group>
      ))}
    </Box>
  )
}
