import { Box, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ApiError, request } from '../../api/client'
import { keys } from '../../api/keys'
import { useConfiguration, useModel } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import { confirmFirst } from '../../components/confirm'
import { messageOf } from '../../components/errors'
import { type FieldName } from '../../components/serverMessages'
import { queries } from '../../queries'
import { startJob, type JobReport } from '../../shell/jobs'
import { countManyDraftRelations, DraftRelationsNote } from '../draftRelations'
import { fieldNameOf } from '../fieldNames'

export type BulkAction = 'publish' | 'unpublish' | 'delete'
/** A selected entry: what it takes to act on it and to speak of it. */
export type Chosen = { documentId: string; title: string }

const BATCH = 100
const AT_ONCE = 4
const SHOWN = 50
const ALL_AT_ONCE = {
  publish: 'POST /content-manager/collection-types/{uid}/actions/bulkPublish',
  unpublish: 'POST /content-manager/collection-types/{uid}/actions/bulkUnpublish',
  delete: 'POST /content-manager/collection-types/{uid}/actions/bulkDelete',
} as const

async function runOne(action: BulkAction, uid: string, id: string, locale: string | undefined): Promise<void> {
  const options = { path: { uid, id }, query: { locale } }
  if (action === 'delete') await request('DELETE /content-manager/collection-types/{uid}/{id}', options)
  else await request(`POST /content-manager/collection-types/{uid}/{id}/actions/${action}`, { ...options, body: {} as never })
}

const entryPath = (uid: string, documentId: string, locale: string | undefined): string =>
  `/content/${uid}/${documentId}${locale ? `?locale=${encodeURIComponent(locale)}` : ''}`

/** The list that entries are of, and how its fields are called. */
type EntryList = { uid: string; locale: string | undefined; nameOf: FieldName }

/** Whether trying entries one by one may succeed for some of them, where all at once were refused. */
export const isOfSingleEntries = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 401 && error.status !== 403

/** Call the server for one batch of entries after the other. */
export async function inBatches(entries: Chosen[], size: number, signal: AbortSignal, run: (batch: Chosen[]) => Promise<void>): Promise<void> {
  for (let start = 0; start < entries.length && !signal.aborted; start += size) await run(entries.slice(start, start + size))
}

/** Do something to each entry, a few at a time, and report those to which it cannot be done. */
export async function oneByOne(entries: Chosen[], report: JobReport, signal: AbortSignal, { uid, locale, nameOf }: EntryList, run: (entry: Chosen) => Promise<void>): Promise<void> {
  const left = [...entries]
  const work = async () => {
    for (let entry = left.shift(); entry && !signal.aborted; entry = left.shift()) {
      try {
        await run(entry)
      } catch (error) {
        report.fail({ title: entry.title, message: messageOf(error, nameOf), path: entryPath(uid, entry.documentId, locale) })
      }
      report.advance(1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/**
 * Publish, unpublish or delete several entries, as a job. The server does it to all of a batch or to
 * none; where it refuses, each is tried alone.
 */
export function useBulk(type: ContentType, locale: string | undefined, done: () => void) {
  const { t } = useTranslation()
  const { uid } = type
  const nameOf = fieldNameOf(type, useConfiguration(uid), useModel())

  const run = async (action: BulkAction, entries: Chosen[]) => {
    const job = await startJob({
      title: t(`bulk.title.${action}`, { count: entries.length }),
      total: entries.length,
      run: (report, signal) =>
        inBatches(entries, BATCH, signal, async (batch) => {
          try {
            await request(ALL_AT_ONCE[action], {
              path: { uid }, query: { locale }, body: { documentIds: batch.map((entry) => entry.documentId) } as never,
            })
            report.advance(batch.length)
          } catch (error) {
            if (!isOfSingleEntries(error)) throw error
            await oneByOne(batch, report, signal, { uid, locale, nameOf }, (entry) => runOne(action, uid, entry.documentId, locale))
          }
        }),
    })
    if (job.state === 'done' && job.failures.length === 0) done()
    void queries.invalidateQueries({ queryKey: keys.content(uid) })
    void queries.invalidateQueries({ queryKey: keys.home })
  }

  const ask = (action: BulkAction, entries: Chosen[]) =>
    confirmFirst({
      title: t(`bulk.ask.${action}`, { count: entries.length }),
      hint: (
        <Stack gap="xs">
          <Text size="sm">{t(`bulk.hint.${action}`, { locale: locale ?? '' })}</Text>
          {action === 'publish' && (
            <DraftRelationsNote queryKey={[uid, locale, entries.map((entry) => entry.documentId)]} count={() => countManyDraftRelations(uid, entries.map((entry) => entry.documentId), locale)} />
          )}
          <Box mah={180} style={{ overflowY: 'auto' }} tabIndex={0} role="region" aria-label={t('bulk.entries')}>
            {entries.slice(0, SHOWN).map((entry) => (
              <Text key={entry.documentId} size="sm" c="dimmed" className="quire-ellipsis">{entry.title}</Text>
            ))}
            {entries.length > SHOWN && <Text size="sm" c="dimmed">{t('bulk.more', { count: entries.length - SHOWN })}</Text>}
          </Box>
        </Stack>
      ),
      confirm: t(`action.${action}`),
      isHarmless: action !== 'delete',
      onConfirm: () => void run(action, entries),
    })

  return { ask, run }
}
