import { Anchor, Button, Checkbox, Group, Loader, Modal, Stack, Table, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { useAbility, useLocales, useModel } from '../../api/hooks'
import type { ContentType, Status, TypeConfiguration } from '../../api/types'
import { StatusBadge } from '../../components/StatusBadge'
import { messageOf } from '../../components/errors'
import { wordingOf, type FieldName } from '../../components/serverMessages'
import { toast, toastError } from '../../components/toast'
import { countDraftRelations, DraftRelationsNote } from '../draftRelations'
import { fieldNameOf } from '../fieldNames'
import type { Loaded } from './loading'
import type { Place } from './place'
import type { useEntryActions } from './useEntryActions'

type Props = {
  what: 'publish' | 'unpublish'
  type: ContentType
  view: TypeConfiguration
  loaded: Loaded
  place: Place
  actions: ReturnType<typeof useEntryActions>
  onClose: () => void
}

type Problem = { path: string[]; message: string }
type Row = { code: string; name: string; status: Status; mayPublish: boolean }

/** Publish an entry in all locales that are ready, or take it back in several; each locale on its own. */
export function LocalesDialog({ what, type, view, loaded, place, actions, onClose }: Props) {
  const { t } = useTranslation()
  const ability = useAbility()
  const locales = useLocales()
  const nameOf = fieldNameOf(type, view, useModel())
  const versions = new Map([loaded.entry, ...loaded.others].filter((one) => one !== null).map((one) => [one.locale, one.status ?? 'draft']))
  const rows: Row[] = locales.flatMap(({ code, name }) => {
    const status = versions.get(code)
    return status ? [{ code, name, status, mayPublish: ability.canContent('publish', type.uid, code) }] : []
  })
  const missing = locales.filter(({ code }) => !versions.has(code)).map(({ name }) => name)
  const candidates = rows.filter(({ status, mayPublish }) => mayPublish && status !== (what === 'publish' ? 'published' : 'draft'))
  const id = loaded.documentId!
  const checks = useQueries({
    queries: (what === 'publish' ? candidates : []).map(({ code }) => ({
      queryKey: ['publish-check', type.uid, id, code],
      gcTime: 0,
      queryFn: async (): Promise<Problem[]> =>
        (await request('POST /admin/x/publish-check/{uid}/{id}', { path: { uid: type.uid, id }, query: { locale: code } })).data.problems,
    })),
  })
  const checkOf = (code: string) => checks[candidates.findIndex((one) => one.code === code)]
  const isPossible = ({ code }: Row) => (what === 'publish' ? checkOf(code)?.data?.length === 0 : true)
  const possible = candidates.filter(isPossible)
  // Whoever opens this wants to publish all that is ready, but to take back no more than they choose.
  const [choice, setChoice] = useState<Record<string, boolean>>({})
  const isChosen = ({ code }: Row) => choice[code] ?? what === 'publish'
  const chosen = possible.filter(isChosen)
  const isChecking = checks.some((one) => one.isPending)
  const [failures, setFailures] = useState<Record<string, string>>({})
  const [running, setRunning] = useState<string | null>(null)

  const run = async () => {
    const failed: Record<string, string> = {}
    for (const { code } of chosen) {
      setRunning(code)
      try {
        await act(what, type, id, code)
      } catch (error) {
        failed[code] = messageOf(error, nameOf)
      }
    }
    setFailures(failed)
    await actions.takeTheirs().catch(toastError)
    setRunning(null)
    const count = chosen.length - Object.keys(failed).length
    if (count > 0) toast(t(`locales.done.${what}`, { count }))
    if (Object.keys(failed).length === 0) onClose()
  }

  return (
    <Modal opened onClose={onClose} title={t(`locales.${what}`)} size="lg" closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack>
        <Table.ScrollContainer minWidth={320} type="native">
          <Table className="quire-table" verticalSpacing={8}>
            <Table.Thead style={{ position: 'static', background: 'none' }}>
              <Table.Tr>
                <Table.Th w={36}>
                  <Checkbox
                    size="xs"
                    aria-label={t('locales.all')}
                    disabled={possible.length === 0}
                    checked={possible.length > 0 && chosen.length === possible.length}
                    indeterminate={chosen.length > 0 && chosen.length < possible.length}
                    onChange={(event) => setChoice(Object.fromEntries(possible.map(({ code }) => [code, event.currentTarget.checked])))}
                  />
                </Table.Th>
                <Table.Th>{t('entry.locale')}</Table.Th>
                <Table.Th>{t('entry.status')}</Table.Th>
                {what === 'publish' && <Table.Th>{t('locales.problems')}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => {
                const { code, name, status, mayPublish } = row
                const isCandidate = candidates.includes(row)
                return (
                  <Table.Tr key={code}>
                    <Table.Td>
                      <Checkbox
                        size="xs"
                        aria-label={name}
                        disabled={!isCandidate || !isPossible(row) || running !== null}
                        checked={isCandidate && isPossible(row) && isChosen(row)}
                        onChange={(event) => setChoice({ ...choice, [code]: event.currentTarget.checked })}
                      />
                    </Table.Td>
                    <Table.Td style={{ fontWeight: 500 }}>{name}</Table.Td>
                    <Table.Td>
                      <Group gap={8} wrap="nowrap">
                        <StatusBadge status={status} />
                        {running === code && <Loader size={12} />}
                      </Group>
                      {failures[code] && <Text size="xs" c="var(--mantine-color-error)" role="alert" style={{ whiteSpace: 'normal' }}>{failures[code]}</Text>}
                      {what === 'unpublish' && !isCandidate && <Text size="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>{t(mayPublish ? 'locales.notPublished' : 'locales.noPermission')}</Text>}
                    </Table.Td>
                    {what === 'publish' && (
                      <Table.Td style={{ whiteSpace: 'normal' }}>
                        {!mayPublish ? (
                          <Text size="sm" c="dimmed">{t('locales.noPermission')}</Text>
                        ) : !isCandidate ? (
                          <Text size="sm" c="dimmed">{t('locales.upToDate')}</Text>
                        ) : (
                          <Readiness
                            check={checkOf(code)}
                            nameOf={nameOf}
                            open={() => {
                              onClose()
                              void place.open({ documentId: type.kind === 'singleType' ? null : id, locale: code })
                            }}
                            openLabel={t('locales.open', { locale: name })}
                          />
                        )}
                      </Table.Td>
                    )}
                  </Table.Tr>
                )
              })}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        {what === 'publish' && candidates.length > 0 && (
          <DraftRelationsNote
            queryKey={[type.uid, id, candidates.map(({ code }) => code)]}
            count={async () => (await Promise.all(candidates.map(({ code }) => countDraftRelations(type, id, code)))).reduce((sum, one) => sum + one, 0)}
          />
        )}
        {missing.length > 0 && <Text size="xs" c="dimmed">{t('locales.missing', { locales: missing.join(', ') })}</Text>}
        <Text size="sm" c="dimmed">{t(what === 'publish' ? 'bulk.hint.publish' : 'unpublish.hint')}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
          <Button color={what === 'unpublish' ? 'red' : undefined} disabled={chosen.length === 0 || isChecking} loading={running !== null} onClick={() => void run()}>
            {t(`locales.confirm.${what}`, { count: chosen.length })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

type ReadinessProps = {
  check: { data?: Problem[]; error: Error | null } | undefined
  nameOf: FieldName
  open: () => void
  openLabel: string
}

/** What keeps a locale from being published. */
function Readiness({ check, nameOf, open, openLabel }: ReadinessProps) {
  const { t } = useTranslation()
  if (check?.error) return <Text size="sm" c="var(--mantine-color-error)" role="alert">{messageOf(check.error)}</Text>
  if (!check?.data) return <Text size="sm" c="dimmed" role="status">{t('locales.checking')}</Text>
  if (check.data.length === 0) return <Text size="sm">{t('locales.ready')}</Text>
  return (
    <Stack gap={2} align="flex-start">
      {check.data.map((problem) => (
        <Text key={problem.path.join('.')} size="sm">
          <Text span fw={600} inherit>{nameOf(problem.path)}</Text>: {wordingOf(problem)}
        </Text>
      ))}
      <Anchor component="button" type="button" size="sm" ta="left" onClick={open}>{openLabel}</Anchor>
    </Stack>
  )
}

async function act(what: 'publish' | 'unpublish', type: ContentType, id: string, locale: string): Promise<void> {
  const body = {} as never
  if (type.kind === 'singleType') await request(`POST /content-manager/single-types/{uid}/actions/${what}`, { path: { uid: type.uid }, query: { locale }, body })
  else await request(`POST /content-manager/collection-types/{uid}/{id}/actions/${what}`, { path: { uid: type.uid, id }, query: { locale }, body })
}
