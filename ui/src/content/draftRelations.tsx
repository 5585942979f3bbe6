import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import type { ContentType } from '../api/types'
import { confirmFirst } from '../components/confirm'
import type { RelationValue } from '../fields/relation/value'
import { t } from '../i18n'

const BATCH = 100

type Counts = { unpublishedRelations: number; draftM2mLinks: number }

/** How many entries that were never published an entry leads to; what is typed and not saved does not count. */
export async function countDraftRelations({ uid, kind }: ContentType, id: string | null, locale: string | undefined): Promise<number> {
  const query = { locale }
  const { data } =
    kind === 'singleType'
      ? await request('GET /content-manager/single-types/{uid}/actions/countDraftRelations', { path: { uid }, query })
      : await request('GET /content-manager/collection-types/{uid}/{id}/actions/countDraftRelations', { path: { uid, id: id! }, query })
  const { unpublishedRelations, draftM2mLinks } = data as Counts
  return unpublishedRelations + draftM2mLinks
}

/** The same of an entry that is not stored yet, by the values of its form. */
export function countLinkedDrafts(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + countLinkedDrafts(one), 0)
  if (typeof value !== 'object' || value === null) return 0
  const { items } = value as RelationValue
  if (Array.isArray(items)) return items.filter(({ status }) => status === 'draft').length
  // Blocks and other JSON have no relations in them.
  return Object.values(value).reduce((sum: number, one) => sum + countLinkedDrafts(one), 0)
}

/** The same of several entries together. */
export async function countManyDraftRelations(uid: string, documentIds: string[], locale: string | undefined): Promise<number> {
  let count = 0
  for (let start = 0; start < documentIds.length; start += BATCH) {
    const query = { documentIds: documentIds.slice(start, start + BATCH), locale }
    count += (await request('GET /content-manager/collection-types/{uid}/actions/countManyEntriesDraftRelations', { path: { uid }, query })).data
  }
  return count
}

/** Ask whether to publish what leads to so many drafts. */
export function confirmDraftRelations(count: number, onConfirm: () => void): void {
  confirmFirst({ title: t('publish.draftsTitle', { count }), hint: t('publish.draftsHint'), confirm: t('publish.anyway'), isHarmless: true, onConfirm })
}

/** The same as a note in a dialog that asks already. */
export function DraftRelationsNote({ queryKey, count }: { queryKey: unknown[]; count: () => Promise<number> }) {
  const { t } = useTranslation()
  const { data } = useQuery({ queryKey: ['draft-relations', ...queryKey], gcTime: 0, queryFn: count })
  if (!data) return null
  return <Text size="sm" c="var(--mantine-color-yellow-light-color)" role="status">{t('publish.draftsTitle', { count: data })}. {t('publish.draftsHint')}</Text>
}
