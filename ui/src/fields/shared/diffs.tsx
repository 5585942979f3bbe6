import { Box, Group, Stack, Text } from '@mantine/core'
import { diffArrays, diffWordsWithSpace } from 'diff'
import { useTranslation } from 'react-i18next'
import type { DiffProps } from '../types'
import { isEmpty } from './cells'

export const ADDED = { background: 'var(--mantine-color-green-light)', color: 'var(--mantine-color-green-light-color)', textDecoration: 'none' }
export const REMOVED = { background: 'var(--mantine-color-red-light)', color: 'var(--mantine-color-red-light-color)' }

/** Words that were added and removed. */
export function TextDiff({ before, after }: DiffProps) {
  const parts = diffWordsWithSpace(String(before ?? ''), String(after ?? ''))
  return (
    <Text size="sm" component="div" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {parts.map((part, index) =>
        part.added ? (
          <ins key={index} style={ADDED}>{part.value}</ins>
        ) : part.removed ? (
          <del key={index} style={REMOVED}>{part.value}</del>
        ) : (
          <span key={index}>{part.value}</span>
        ),
      )}
    </Text>
  )
}

/** The old value and the new one. */
export function ValueDiff({ before, after }: DiffProps) {
  const { t } = useTranslation()
  const show = (value: unknown) =>
    isEmpty(value) ? t('diff.empty') : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return (
    <Group gap="xs" wrap="wrap">
      <del style={REMOVED}><Text span size="sm" inherit>{show(before)}</Text></del>
      <Text span size="sm" aria-hidden>→</Text>
      <ins style={ADDED}><Text span size="sm" inherit>{show(after)}</Text></ins>
    </Group>
  )
}

/** Lines of a text form: for what has parts. */
function linesDiff(text: (value: unknown) => string[]) {
  return function LinesDiff({ before, after }: DiffProps) {
    const parts = diffArrays(text(before), text(after))
    return (
      <Stack gap={2}>
        {parts.flatMap((part, index) =>
          part.value.map((line, at) => (
            <Box key={`${index} ${at}`} px={6} style={{ borderRadius: 4, ...(part.added ? ADDED : part.removed ? REMOVED : {}) }}>
              <Text size="sm" component={part.added ? 'ins' : part.removed ? 'del' : 'span'} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {line || ' '}
              </Text>
            </Box>
          )),
        )}
      </Stack>
    )
  }
}

export const JsonDiff = linesDiff((value) => (isEmpty(value) ? [] : JSON.stringify(contentOf(value), null, 2).split('\n')))

/** A value without what differs between any two versions: the ids of rows, and the keys of a form. */
export function contentOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(contentOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'id' && key !== '__key')
      .map(([key, inner]) => [key, contentOf(inner)]),
  )
}

