import { Anchor, Button, Group, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, request } from '../../api/client'
import { keys } from '../../api/keys'
import type { ContentType, Entry } from '../../api/types'
import { toast, toastError } from '../../components/toast'
import { t } from '../../i18n'

export type BulkAction = 'publish' | 'unpublish' | 'delete'
type Failure = { entry: Entry; title: string; message: string }

const AT_ONCE = 4
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

/**
 * Do something to several entries, and report on each that it cannot be done to. The server does it
 * to all or to none; where it refuses, each is tried alone.
 */
export function useBulk(type: ContentType, locale: string | undefined, titleOf: (entry: Entry) => string, done: () => void) {
  const queries = useQueryClient()
  const [running, setRunning] = useState<{ action: BulkAction; done: number; of: number } | null>(null)

  const run = async (action: BulkAction, entries: Entry[]) => {
    setRunning({ action, done: 0, of: entries.length })
    const failures: Failure[] = []
    try {
      try {
        await request(ALL_AT_ONCE[action], {
          path: { uid: type.uid },
          query: { locale },
          body: { documentIds: entries.map((entry) => entry.documentId) } as never,
        })
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 0 || error.status === 403 || entries.length === 0) throw error
        const left = [...entries]
        const work = async () => {
          for (let entry = left.shift(); entry; entry = left.shift()) {
            try {
              await runOne(action, type.uid, entry.documentId, locale)
            } catch (reason) {
              failures.push({ entry, title: titleOf(entry), message: messageOf(reason) })
            }
            setRunning((state) => state && { ...state, done: state.done + 1 })
          }
        }
        await Promise.all(Array.from({ length: AT_ONCE }, work))
      }
      const succeeded = entries.length - failures.length
      if (succeeded > 0) toast(t(`bulk.done.${action}`, { count: succeeded }))
      if (failures.length > 0) report(type, locale, action, failures)
      if (failures.length === 0) done()
    } catch (error) {
      toastError(error)
    } finally {
      setRunning(null)
      void queries.invalidateQueries({ queryKey: keys.content(type.uid) })
      void queries.invalidateQueries({ queryKey: keys.home })
    }
  }

  const ask = (action: BulkAction, entries: Entry[]) =>
    modals.openConfirmModal({
      title: t(`bulk.ask.${action}`, { count: entries.length }),
      children: (
        <Stack gap="xs">
          <Text size="sm">{t(`bulk.hint.${action}`, { locale: locale ?? '' })}</Text>
          <ScrollArea.Autosize mah={180} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t('bulk.entries') }}>
            {entries.slice(0, 50).map((entry) => (
              <Text key={entry.documentId} size="sm" c="dimmed" className="quire-ellipsis">{titleOf(entry)}</Text>
            ))}
          </ScrollArea.Autosize>
        </Stack>
      ),
      labels: { confirm: t(`action.${action}`), cancel: t('action.cancel') },
      confirmProps: { color: action === 'delete' ? 'red' : undefined, size: 'sm', 'data-autofocus': true },
      cancelProps: { size: 'sm' },
      closeButtonProps: { 'aria-label': t('action.close') },
      onConfirm: () => void run(action, entries),
    })

  return { running, ask, run }
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.problems.length > 0) return error.problems.map((one) => one.message).join('; ')
  return error instanceof Error ? error.message : String(error)
}

function report(type: ContentType, locale: string | undefined, action: BulkAction, failures: Failure[]): void {
  const id = modals.open({
    title: t(`bulk.failed.${action}`, { count: failures.length }),
    size: 'lg',
    closeButtonProps: { 'aria-label': t('action.close') },
    children: <Report type={type} locale={locale} failures={failures} close={() => modals.close(id)} />,
  })
}

function Report({ type, locale, failures, close }: { type: ContentType; locale: string | undefined; failures: Failure[]; close: () => void }) {
  const { t } = useTranslation()
  return (
    <Stack>
      <Table className="quire-table">
        <Table.Tbody>
          {failures.map(({ entry, title, message }) => (
            <Table.Tr key={entry.documentId}>
              <Table.Td>
                <Anchor size="sm" href={`/admin/content/${type.uid}/${entry.documentId}${locale ? `?locale=${locale}` : ''}`}>{title}</Anchor>
              </Table.Td>
              <Table.Td>{message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group justify="flex-end"><Button onClick={close}>{t('action.close')}</Button></Group>
    </Stack>
  )
}
