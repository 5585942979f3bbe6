import { ActionIcon, Menu, Table, VisuallyHidden } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { toast, toastError } from '../components/toast'
import { confirmFirst } from './components'
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
        <ActionIcon aria-label={t('list.actions', { title })}><Ellipsis size={15} /></ActionIcon>
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
