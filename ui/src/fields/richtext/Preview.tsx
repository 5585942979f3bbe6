import { Text, Typography } from '@mantine/core'
import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { useMemo, type Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { useTextLanguage } from '../shared/direction'

type Props = { ref: Ref<HTMLDivElement>; label: string; text: string; height?: number | string; isBeside: boolean; onScroll: () => void }

/** What a Markdown text becomes, without anything that could run. */
export function Preview({ ref, label, text, height, isBeside, onScroll }: Props) {
  const { t } = useTranslation()
  const language = useTextLanguage()
  const html = useMemo(() => DOMPurify.sanitize(marked.parse(text, { async: false })), [text])
  return (
    <div
      ref={ref}
      role="region"
      aria-label={t('markdown.previewOf', { field: label })}
      // What scrolls can be scrolled with the keyboard.
      tabIndex={0}
      onScroll={onScroll}
      style={{ height, minHeight: 160, minWidth: 0, overflow: 'auto', padding: 12, borderLeft: isBeside ? '1px solid var(--quire-hairline)' : undefined }}
    >
      {text ? <Typography {...language} dangerouslySetInnerHTML={{ __html: html }} /> : <Text size="sm" c="dimmed">{t('markdown.nothing')}</Text>}
    </div>
  )
}
