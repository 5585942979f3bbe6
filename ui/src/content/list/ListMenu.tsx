import { ActionIcon, Button, Checkbox, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Bookmark, BookmarkPlus, Check, Copy, Download, Ellipsis, Save, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { SavedView } from '../../api/generated'
import { keys } from '../../api/keys'
import { encodeQuery, type QueryValue } from '../../api/query'
import type { ContentType } from '../../api/types'
import { FormError } from '../../auth/AuthPage'
import { confirmFirst } from '../../components/confirm'
import { download } from '../../components/download'
import { toast, toastError, toastRefusal } from '../../components/toast'
import type { ListSearch } from '../../router'
import { startJob, type JobReport } from '../../shell/jobs'
import type { ListState } from './useListState'
import { searchOf, useSavedViews } from './views'

const EXPORT_PAGE = 1000

/** What a saved view keeps of the address: all but the page. */
const stateOf = (search: ListSearch): Record<string, unknown> =>
  Object.fromEntries(Object.entries(search).filter(([name]) => name !== 'page' && name !== 'view'))

/** Saved views of a list: one's own and those that others share. */
export function ViewMenu({ type, state }: { type: ContentType; state: ListState }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [naming, setNaming] = useState(false)
  const views = useSavedViews(type.uid)
  const current = views.find((one) => one.id === state.search.view)
  const isChanged = current && textOf(searchOf(current)) !== textOf(state.search)
  const refresh = () => void queries.invalidateQueries({ queryKey: keys.views })
  const update = useMutation({
    mutationFn: (view: SavedView) =>
      request('PUT /admin/x/views/{id}', { path: { id: view.id }, body: { state: stateOf(state.search) } }),
    onSuccess: () => {
      refresh()
      toast(t('views.updated'))
    },
    onError: (error) => toastError(error),
  })
  const remove = (view: SavedView) =>
    confirmFirst({
      title: t('views.deleteTitle', { name: view.name }),
      onConfirm: () =>
        void request('DELETE /admin/x/views/{id}', { path: { id: view.id } })
          .then(() => {
            refresh()
            state.change({ view: undefined })
          })
          .catch(toastError),
    })
  return (
    <>
      <Menu position="bottom-start" width={240}>
        <Menu.Target>
          <Button variant={current ? 'light' : 'default'} leftSection={<Bookmark size={13} />}>
            {current ? current.name : t('views.title')}
            {isChanged ? ' *' : ''}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length === 0 && <Menu.Item disabled>{t('views.none')}</Menu.Item>}
          {views.map((view) => (
            <Menu.Item
              key={view.id}
              leftSection={view.id === current?.id ? <Check size={14} /> : <Bookmark size={14} />}
              rightSection={view.shared ? <Text size="xs" c="dimmed">{t('views.shared')}</Text> : undefined}
              onClick={() => state.change({ ...NONE, ...searchOf(view) })}
            >
              {view.name}
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Divider />}
          {current && <Menu.Item onClick={() => state.change(NONE)}>{t('views.leave')}</Menu.Item>}
          {current?.own && <Menu.Item leftSection={<Save size={14} />} onClick={() => update.mutate(current)}>{t('views.update')}</Menu.Item>}
          <Menu.Item leftSection={<BookmarkPlus size={14} />} onClick={() => setNaming(true)}>{t('views.save')}</Menu.Item>
          {current?.own && <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => remove(current)}>{t('views.delete')}</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {naming && (
        <NameDialog
          type={type}
          search={state.search}
          onClose={() => setNaming(false)}
          onSaved={(view) => {
            refresh()
            setNaming(false)
            state.change({ view: view.id })
          }}
        />
      )}
    </>
  )
}

const NONE: ListSearch = {
  view: undefined, q: undefined, filters: undefined, status: undefined, sort: undefined, pageSize: undefined, columns: undefined, locale: undefined,
  stage: undefined, assignee: undefined, missing: undefined,
}

/** What a saved view keeps, as a text that is the same in any order. */
const textOf = (search: ListSearch): string =>
  JSON.stringify(Object.entries(stateOf(search)).filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)))

function NameDialog({ type, search, onClose, onSaved }: { type: ContentType; search: ListSearch; onClose: () => void; onSaved: (view: SavedView) => void }) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: { name: '', shared: false },
    validate: { name: (value) => (value.trim() ? null : t('form.required')) },
  })
  const save = useMutation({
    mutationFn: async (values: typeof form.values) =>
      (await request('POST /admin/x/views', { body: { uid: type.uid, name: values.name.trim(), shared: values.shared, state: stateOf(search) } })).data,
    onSuccess: onSaved,
  })
  return (
    <Modal opened onClose={onClose} title={t('views.save')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <Stack gap="sm">
          <TextInput label={t('views.name')} maxLength={100} data-autofocus {...form.getInputProps('name')} />
          <Checkbox size="xs" label={t('views.share')} {...form.getInputProps('shared', { type: 'checkbox' })} />
          <FormError error={save.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" loading={save.isPending}>{t('action.save')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** What else can be done with a list: take it out as a file, or as a request of the content API. */
export function ListMenu({ type, state }: { type: ContentType; state: ListState }) {
  const { t } = useTranslation()
  const { _q, filters, publicationFilter, missingLocale, reviewStage, reviewAssignee } = state.query
  const common = { sort: state.sort, locale: state.locale, _q, filters, publicationFilter }
  const query = { ...common, missingLocale, reviewStage, reviewAssignee }
  // What the content API has no parameter for.
  const leftOut = [
    ...(missingLocale !== undefined ? [t('coverage.missingIn')] : []),
    ...(reviewStage !== undefined ? [t('review.stage')] : []),
    ...(reviewAssignee !== undefined ? [t('review.assignee')] : []),
  ]
  const copy = () => {
    const path = `${location.origin}/api/${type.info.pluralName}?${encodeQuery({ ...common, status: state.search.status && 'draft', pagination: { page: state.query.page, pageSize: state.pageSize } })}`
    const command = `curl -g '${path.replaceAll("'", '%27')}'`
    void navigator.clipboard.writeText(command).then(() => toast(t('list.requestCopied')), () => toastRefusal(t('action.copyFailed')))
  }
  const run = (format: 'csv' | 'json') =>
    startJob({
      title: t('list.exporting', { type: type.info.displayName }),
      total: null,
      run: async (report, signal) => {
        const text = await exported(type, format, query, report, signal)
        if (!signal.aborted) download(`${type.info.pluralName}.${format}`, text)
      },
    })
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label={t('list.more')}><Ellipsis size={15} /></ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Download size={14} />} onClick={() => void run('csv')}>{t('list.exportCsv')}</Menu.Item>
        <Menu.Item leftSection={<Download size={14} />} onClick={() => void run('json')}>{t('list.exportJson')}</Menu.Item>
        <Menu.Item leftSection={<Copy size={14} />} onClick={copy}>
          {t('list.copyRequest')}
          {leftOut.length > 0 && <Text size="xs" c="dimmed">{t('list.requestWithout', { filters: leftOut.join(', ') })}</Text>}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** All entries of a list, page after page, as the text of a file. */
async function exported(
  type: ContentType,
  format: 'csv' | 'json',
  query: { [key: string]: QueryValue },
  report: JobReport,
  signal: AbortSignal,
): Promise<string> {
  const parts: string[] = []
  const entries: unknown[] = []
  const path = { uid: type.uid }
  // A table says nothing of how many entries there are.
  const { pagination } = await request('GET /content-manager/collection-types/{uid}', { path, query: { ...query, page: 1, pageSize: 1, columns: 'id' }, signal })
  report.setTotal(pagination.total)
  for (let page = 1; page === 1 || (page - 1) * EXPORT_PAGE < pagination.total; page += 1) {
    const answer = (await request('POST /admin/x/export/{uid}', { path, query: { ...query, page, pageSize: EXPORT_PAGE }, body: { format }, signal })) as unknown as string | { data: unknown[] }
    if (typeof answer === 'string') parts.push(answer)
    else entries.push(...answer.data)
    report.advance(Math.min(EXPORT_PAGE, pagination.total - (page - 1) * EXPORT_PAGE))
  }
  return format === 'csv' ? parts.join('') : JSON.stringify(entries, null, 2)
}
