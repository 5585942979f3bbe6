import { ActionIcon, Box, Group, SegmentedControl, Textarea, Tooltip, Typography } from '@mantine/core'
import DOMPurify from 'dompurify'
import { Bold, Code, Heading, Image, Italic, Link, List, ListOrdered, Quote } from 'lucide-react'
import { marked } from 'marked'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MediaFile } from '../../api/types'
import { useField } from '../../content/editor/store'
import { openMediaDialog } from '../../media/openMediaDialog'
import { FieldFrame } from '../shared/Frame'
import type { InputProps } from '../types'

type Edit = { label: string; icon: typeof Bold; before: string; after?: string; line?: boolean }

/** Markdown as text, with a preview of what it becomes. */
export default function MarkdownInput(props: InputProps) {
  const { t } = useTranslation()
  const area = useRef<HTMLTextAreaElement>(null)
  const [mode, setMode] = useState<'write' | 'preview'>('write')
  const { value, error, set } = useField<string | null | undefined>(props.path)
  const text = value ?? ''
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
  const apply = (edit: Pick<Edit, 'before' | 'after' | 'line'>) => {
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
  const insertImage = () =>
    openMediaDialog({
      multiple: true,
      allowedTypes: ['images'],
      onSelect: (files: MediaFile[]) =>
        apply({ before: files.map((file) => `![${(file.alternativeText ?? '').replace(/[[\]]/g, '')}](${file.url})`).join('\n'), after: '' }),
    })
  return (
    <FieldFrame
      {...props}
      error={error}
      side={
        <SegmentedControl
          size="xs"
          aria-label={t('markdown.mode', { field: props.label })}
          value={mode}
          onChange={(changed) => setMode(changed as 'write' | 'preview')}
          data={[
            { value: 'write', label: t('markdown.write') },
            { value: 'preview', label: t('markdown.preview') },
          ]}
        />
      }
    >
      {mode === 'write' ? (
        <Box bd="1px solid var(--mantine-color-default-border)" style={{ borderRadius: 6 }} className="quire-surface">
          {!props.locked && (
            <Group gap={2} p={4} style={{ borderBottom: '1px solid var(--quire-hairline)' }} role="toolbar" aria-label={t('markdown.toolbar', { field: props.label })}>
              {edits.map((edit) => (
                <Tooltip key={edit.label} label={edit.label}>
                  <ActionIcon aria-label={edit.label} onMouseDown={(event) => event.preventDefault()} onClick={() => apply(edit)}>
                    <edit.icon size={15} />
                  </ActionIcon>
                </Tooltip>
              ))}
              <Tooltip label={t('markdown.image')}>
                <ActionIcon aria-label={t('markdown.image')} onClick={insertImage}>
                  <Image size={15} />
                </ActionIcon>
              </Tooltip>
            </Group>
          )}
          <Textarea
            ref={area}
            variant="unstyled"
            autosize
            minRows={6}
            maxRows={24}
            aria-label={props.label}
            readOnly={Boolean(props.locked)}
            placeholder={props.meta?.placeholder || undefined}
            value={text}
            onChange={(event) => set(event.currentTarget.value || null)}
            onKeyDown={(event) => {
              if (!(event.ctrlKey || event.metaKey)) return
              const edit = event.key === 'b' ? edits[1] : event.key === 'i' ? edits[2] : undefined
              if (!edit) return
              event.preventDefault()
              apply(edit)
            }}
            styles={{ input: { padding: '8px 12px', fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          />
        </Box>
      ) : (
        <Preview text={text} />
      )}
    </FieldFrame>
  )
}

function Preview({ text }: { text: string }) {
  const { t } = useTranslation()
  const html = useMemo(() => DOMPurify.sanitize(marked.parse(text, { async: false })), [text])
  return (
    <Box bd="1px solid var(--mantine-color-default-border)" p="sm" mih={160} style={{ borderRadius: 6 }} className="quire-surface">
      {text ? <Typography dangerouslySetInnerHTML={{ __html: html }} /> : t('markdown.nothing')}
    </Box>
  )
}
