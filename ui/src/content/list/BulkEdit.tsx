import { ActionIcon, Alert, Button, Group, Modal, ScrollArea, Select, Stack, Table, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { ApiError, request } from '../../api/client'
import { labelOf, useAbility, useConfiguration, useModel } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { Attribute, ContentType } from '../../api/types'
import { keepOpenWithInput } from '../../components/dialogs'
import { messageOf } from '../../components/errors'
import { wordingOf, type FieldName } from '../../components/serverMessages'
import { fieldTypeOf } from '../../fields/registry'
import { FieldSlot } from '../../fields/shared/FieldSlot'
import { queries } from '../../queries'
import { startJob } from '../../shell/jobs'
import { createEditorStore, EditorContext } from '../editor/store'
import { bodyOf, editable } from '../editor/values'
import { fieldNameOf } from '../fieldNames'
import { inBatches, isOfSingleEntries, oneByOne, type Chosen } from './bulk'

const BATCH = 500
const PREVIEWED = 50

/** The path of a value in the entry, of one in the request. */
const withoutData = (path: (string | number)[]) => path.filter((step) => step !== 'data')

type Change = { documentId: string; fields: Record<string, { from: unknown; to: unknown }> }

/** The attributes that one form sets for many entries: those whose input needs no entry, and that may be alike. */
export function useAlikeAttributes(type: ContentType): [string, Attribute][] {
  const ability = useAbility()
  const view = useConfiguration(type.uid).contentType
  return editable(type.attributes).filter(
    ([name, attribute]) =>
      fieldTypeOf(attribute).standsAlone && !attribute.unique && ability.canField('update', type.uid, name) && view.metadatas[name]?.edit.editable !== false,
  )
}

/** Give several entries the same values in some fields, after a look at what that changes. */
export function BulkEdit({ type, locale, entries, onClose, onDone }: { type: ContentType; locale: string | undefined; entries: Chosen[]; onClose: () => void; onDone: () => void }) {
  const { t } = useTranslation()
  const model = useModel()
  const configuration = useConfiguration(type.uid)
  const view = configuration.contentType
  const nameOfField = fieldNameOf(type, configuration, model)
  const nameOf: FieldName = (path) => nameOfField(withoutData(path))
  const attributes = useAlikeAttributes(type)
  const [store] = useState(() => createEditorStore({}))
  const [names, setNames] = useState<string[]>([])
  const values = useStore(store, (state) => state.values)
  const { uid } = type
  const path = { uid }
  const data = () => bodyOf(values, names, type, model)
  const preview = useMutation({
    mutationFn: async () =>
      (await request('POST /admin/x/bulk-edit/{uid}', {
        path, query: { locale }, body: { documentIds: entries.slice(0, BATCH).map((entry) => entry.documentId), data: data(), preview: true },
      })).data as unknown as { count: number; changes: Change[] },
    onError: (error) => {
      if (!(error instanceof ApiError)) return
      store.getState().setErrors(Object.fromEntries(error.problems.map((one) => [withoutData(one.path).join('.'), wordingOf(one)])))
    },
  })
  const add = (name: string | null) => {
    const attribute = name ? type.attributes[name] : undefined
    if (!name || !attribute) return
    store.getState().set([name], fieldTypeOf(attribute).initial?.(attribute, model) ?? null)
    setNames([...names, name])
    preview.reset()
  }
  const remove = (name: string) => {
    setNames(names.filter((one) => one !== name))
    preview.reset()
  }
  const apply = async () => {
    onClose()
    const body = data()
    const edit = (batch: Chosen[]) =>
      request('POST /admin/x/bulk-edit/{uid}', { path, query: { locale }, body: { documentIds: batch.map((entry) => entry.documentId), data: body } })
    const job = await startJob({
      title: t('bulk.title.edit', { count: entries.length }),
      total: entries.length,
      run: (report, signal) =>
        inBatches(entries, BATCH, signal, async (batch) => {
          try {
            await edit(batch)
            report.advance(batch.length)
          } catch (error) {
            if (!isOfSingleEntries(error)) throw error
            await oneByOne(batch, report, signal, { uid, locale, nameOf }, async (entry) => void (await edit([entry])))
          }
        }),
    })
    if (job.state === 'done' && job.failures.length === 0) onDone()
    void queries.invalidateQueries({ queryKey: keys.content(uid) })
  }
  const titles = new Map(entries.map((entry) => [entry.documentId, entry.title]))
  return (
    <Modal opened onClose={onClose} {...keepOpenWithInput(names.length > 0)} size="lg" title={t('bulk.title.edit', { count: entries.length })} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <EditorContext.Provider value={store}>
        <Stack gap="sm" onInput={() => preview.data && preview.reset()}>
          {names.map((name) => {
            const attribute = type.attributes[name]
            if (!attribute) return null
            const label = labelOf(view, name)
            return (
              <Group key={name} align="flex-start" wrap="nowrap" gap="xs">
                <div style={{ flex: 1 }}><FieldSlot name={name} attribute={attribute} label={label} meta={view.metadatas[name]?.edit} /></div>
                <ActionIcon mt={26} aria-label={t('bulk.removeField', { name: label })} onClick={() => remove(name)}><X size={14} /></ActionIcon>
              </Group>
            )
          })}
          <Select
            key={names.length}
            searchable
            data-autofocus
            label={t('bulk.addField')}
            placeholder={t('filter.field')}
            nothingFoundMessage={t('relation.nothing')}
            data={attributes.filter(([name]) => !names.includes(name)).map(([name]) => ({ value: name, label: labelOf(view, name) }))}
            onChange={add}
          />
          {preview.error && <Alert color="red" role="alert">{messageOf(preview.error, nameOf)}</Alert>}
          {preview.data && <Preview type={type} changes={preview.data.changes} titles={titles} previewed={Math.min(entries.length, BATCH)} total={entries.length} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button variant="default" disabled={names.length === 0} loading={preview.isPending} onClick={() => preview.mutate()}>{t('bulk.preview')}</Button>
            <Button disabled={!preview.data} onClick={() => void apply()}>{t('bulk.apply', { count: entries.length })}</Button>
          </Group>
        </Stack>
      </EditorContext.Provider>
    </Modal>
  )
}

function Preview({ type, changes, titles, previewed, total }: { type: ContentType; changes: Change[]; titles: Map<string, string>; previewed: number; total: number }) {
  const { t } = useTranslation()
  const view = useConfiguration(type.uid).contentType
  return (
    <Stack gap={6} role="region" aria-label={t('bulk.preview')}>
      <Text size="sm" role="status">{t('bulk.changes', { count: changes.length, of: previewed })}{total > previewed ? ` ${t('bulk.previewed', { count: previewed })}` : ''}</Text>
      {changes.length > 0 && (
        <ScrollArea.Autosize mah={260} viewportProps={{ tabIndex: 0 }}>
          <Table className="quire-table">
            <Table.Tbody>
              {changes.slice(0, PREVIEWED).flatMap((change) =>
                Object.entries(change.fields).map(([name, { from, to }]) => {
                  const attribute = type.attributes[name]
                  if (!attribute) return null
                  const { Diff } = fieldTypeOf(attribute)
                  return (
                    <Table.Tr key={`${change.documentId} ${name}`}>
                      <Table.Td className="quire-ellipsis">{titles.get(change.documentId)}</Table.Td>
                      <Table.Td c="dimmed">{labelOf(view, name)}</Table.Td>
                      <Table.Td><Diff before={from} after={to} attribute={attribute} /></Table.Td>
                    </Table.Tr>
                  )
                }),
              )}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      )}
      {changes.length > PREVIEWED && <Text size="xs" c="dimmed">{t('bulk.more', { count: changes.length - PREVIEWED })}</Text>}
    </Stack>
  )
}
