import { ActionIcon, Button, Checkbox, Group, Menu, Paper, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { toast, toastError } from '../components/toast'
import { confirmFirst } from '../components/confirm'
import { settingsKey } from './queries'

type Column = ReactNode | { label: ReactNode; align: 'right' }

/** A list of the settings: its columns, then one for the actions on a row. */
export function SettingsTable({ label, columns, children }: { label: string; columns: Column[]; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <div className="quire-matrix" tabIndex={0} role="region" aria-label={label}>
      <Table className="quire-table" verticalSpacing={8} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column, index) =>
              typeof column === 'object' && column !== null && 'align' in column ? (
                <Table.Th key={index} ta={column.align}>{column.label}</Table.Th>
              ) : (
                <Table.Th key={index}>{column}</Table.Th>
              ),
            )}
            <Table.Th w={50}><VisuallyHidden>{t('list.rowActions')}</VisuallyHidden></Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </div>
  )
}

/** The actions on one row. */
export function RowMenu({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon className="quire-row-actions" aria-label={t('list.actions', { title })}><Ellipsis size={15} /></ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** Delete a row, after a question; `lockedReason` says why it cannot be. */
export function DeleteItem({ title, hint, lockedReason, onDelete }: { title: string; hint?: string; lockedReason?: string; onDelete: () => void }) {
  const { t } = useTranslation()
  return (
    <Menu.Item
      color="red"
      leftSection={<Trash2 size={14} />}
      disabled={Boolean(lockedReason)}
      title={lockedReason}
      onClick={() => confirmFirst({ title: t('delete.title', { title }), hint, onConfirm: onDelete })}
    >
      {t('action.delete')}
    </Menu.Item>
  )
}

/** Delete one of a list, say so, and load the list again. */
export function useDeletion<Id>(list: string, deleted: string, send: (id: Id) => Promise<unknown>): (id: Id) => void {
  const queries = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: send,
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: settingsKey(list) })
      toast(deleted)
    },
    onError: (error) => toastError(error),
  })
  return mutate
}

type Chosen<Id> = { id: Id; title: string }

/** Boxes before the rows of a list, for those that may be deleted, and a bar that deletes the chosen ones together after a question. */
export function useBulkDeletion<Id extends string | number>({ list, rows, may, hint, send }: {
  list: string
  rows: Chosen<Id>[]
  may: boolean
  hint?: string
  send: (ids: Id[]) => Promise<unknown>
}) {
  const { t } = useTranslation()
  const [ids, setIds] = useState<ReadonlySet<Id>>(new Set())
  const chosen = rows.filter((row) => ids.has(row.id))
  const remove = useDeletion(list, t('settings.deletedSeveral', { count: chosen.length }), async (some: Id[]) => {
    await send(some)
    setIds(new Set())
  })
  const toggle = (id: Id) => setIds((all) => new Set(all.has(id) ? [...all].filter((one) => one !== id) : [...all, id]))
  const isAll = rows.length > 0 && chosen.length === rows.length
  const columns: ReactNode[] = may
    ? [<Checkbox key="all" size="xs" aria-label={t('list.selectAll')} disabled={rows.length === 0} checked={isAll} indeterminate={!isAll && chosen.length > 0} onChange={() => setIds(new Set(isAll ? [] : rows.map((row) => row.id)))} />]
    : []
  const cell = (id: Id): ReactNode => {
    const row = rows.find((one) => one.id === id)
    return may && <Table.Td w={36}>{row && <Checkbox size="xs" aria-label={t('list.select', { title: row.title })} checked={ids.has(id)} onChange={() => toggle(id)} />}</Table.Td>
  }
  const bar = chosen.length > 0 && (
    <Paper withBorder p={6} className="quire-surface" role="region" aria-label={t('bulk.region')}>
      <Group gap="xs">
        <Text size="sm" px={6} role="status">{t('bulk.selected', { count: chosen.length })}</Text>
        <Button
          variant="light"
          color="red"
          onClick={() =>
            confirmFirst({
              title: t('settings.deleteSeveral', { count: chosen.length }),
              hint: [chosen.map((row) => row.title).join(', '), hint].filter(Boolean).join('. '),
              onConfirm: () => remove(chosen.map((row) => row.id)),
            })
          }
        >
          {t('action.delete')}
        </Button>
        <Button variant="subtle" color="gray" ml="auto" onClick={() => setIds(new Set())}>{t('bulk.clear')}</Button>
      </Group>
    </Paper>
  )
  return { columns, cell, bar }
}
