import { ActionIcon, Box, Checkbox, Group, Table, Text, TextInput, Tooltip, VisuallyHidden } from '@mantine/core'
import { ChevronDown, ChevronRight, Search } from 'lucide-react'
import { memo, useEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

export type CellState = 'on' | 'some' | 'off'
export type Cell = { row: string; action: string }
export type MatrixRow = {
  id: string
  label: string
  /** A second line, such as the uid. */
  hint?: string
  /** The actions that there are for this row; the others have no box. */
  actions: readonly string[]
  children?: MatrixRow[]
  /** Controls after the boxes. */
  tools?: ReactNode
}

type Props = {
  /** What the table is about, for screen readers. */
  label: string
  /** The heading of the first column; content types unless it says otherwise. */
  what?: string
  actions: readonly { id: string; label: string }[]
  rows: readonly MatrixRow[]
  state: (row: string, action: string) => CellState
  onChange: (cells: Cell[], on: boolean) => void
  readOnly?: boolean
  /** What a cell stands for, shown on hover. */
  hint?: (row: string, action: string) => string | undefined
}

const combined = (states: CellState[]): CellState =>
  states.length > 0 && states.every((one) => one === 'on') ? 'on' : states.every((one) => one === 'off') ? 'off' : 'some'

/** Boxes for what may be done with what: rows open to their parts, and heads set a whole row or column. */
export function PermissionMatrix({ label, what, actions, rows, state, onChange, readOnly = false, hint }: Props) {
  const { t } = useTranslation()
  const [words, setWords] = useState('')
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const wanted = words.trim().toLowerCase()
  const matches = (row: MatrixRow): boolean =>
    `${row.label} ${row.hint ?? ''}`.toLowerCase().includes(wanted) || (row.children?.some(matches) ?? false)
  const shown = rows.filter(matches)
  const hasTools = rows.some((row) => row.tools)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  const [toggle] = useState(() => (cells: Cell[], on: boolean) => latest.current(cells, on))
  const box = (name: string, cells: Cell[], description?: string) => (
    <MatrixBox name={name} cells={cells} current={combined(cells.map((cell) => state(cell.row, cell.action)))} readOnly={readOnly} description={description} onChange={toggle} />
  )
  const lines = (row: MatrixRow, depth: number): ReactNode[] => {
    const isOpen = open.has(row.id)
    const parts = row.children ?? []
    return [
      <Table.Tr key={row.id} data-depth={depth}>
        <Table.Th scope="row" fw={depth === 0 ? 500 : 400} pl={12 + depth * 22}>
          <Group gap={6} wrap="nowrap">
            {parts.length > 0 ? (
              <ActionIcon
                size="sm"
                aria-expanded={isOpen}
                aria-label={t('matrix.parts', { name: row.label })}
                onClick={() => setOpen((all) => new Set(isOpen ? [...all].filter((id) => id !== row.id) : [...all, row.id]))}
              >
                {isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
              </ActionIcon>
            ) : (
              <Box w={rows.some((one) => one.children?.length) ? 22 : 0} />
            )}
            {row.actions.length > 1 && box(t('matrix.row', { name: row.label }), row.actions.map((action) => ({ row: row.id, action })))}
            <Box miw={0}>
              <Text size="sm" inherit className="quire-ellipsis">{row.label}</Text>
              {row.hint && <Text size="xs" c="dimmed" fw={400} className="quire-ellipsis">{row.hint}</Text>}
            </Box>
          </Group>
        </Table.Th>
        {actions.map((action) => (
          <Table.Td key={action.id} ta="center">
            {row.actions.includes(action.id) &&
              box(`${action.label}: ${row.label}`, [{ row: row.id, action: action.id }], hint?.(row.id, action.id))}
          </Table.Td>
        ))}
        {hasTools && <Table.Td ta="right">{row.tools}</Table.Td>}
      </Table.Tr>,
      ...(isOpen ? parts.flatMap((part) => lines(part, depth + 1)) : []),
    ]
  }
  return (
    <Box>
      {rows.length > 6 && (
        <TextInput
          mb="xs"
          maw={280}
          size="xs"
          leftSection={<Search size={13} />}
          placeholder={t('matrix.search')}
          aria-label={t('matrix.search')}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      )}
      <Box className="quire-matrix" role="region" aria-label={label} tabIndex={0}>
        <Table className="quire-table" verticalSpacing={6} miw={140 + actions.length * 90}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{what ?? t('matrix.what')}</Table.Th>
              {actions.map((action) => {
                const cells = shown.filter((row) => row.actions.includes(action.id)).map((row) => ({ row: row.id, action: action.id }))
                return (
                  <Table.Th key={action.id} scope="col" ta="center" w={90}>
                    <Group gap={6} justify="center" wrap="nowrap">
                      {cells.length > 1 && box(t('matrix.column', { name: action.label }), cells)}
                      {action.label}
                    </Group>
                  </Table.Th>
                )
              })}
              {hasTools && <Table.Th w={44}><VisuallyHidden>{t('list.rowActions')}</VisuallyHidden></Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{shown.flatMap((row) => lines(row, 0))}</Table.Tbody>
        </Table>
        {shown.length === 0 && <Text size="sm" c="dimmed" p="md">{t('palette.nothing')}</Text>}
      </Box>
    </Box>
  )
}

type MatrixBoxProps = { name: string; cells: Cell[]; current: CellState; readOnly: boolean; description?: string; onChange: (cells: Cell[], on: boolean) => void }

/** One box. There are hundreds in a matrix, of which a click changes a few: the others are not rendered again. */
const MatrixBox = memo(
  function MatrixBox({ name, cells, current, readOnly, description, onChange }: MatrixBoxProps) {
    const control = (
      <Checkbox
        size="xs"
        aria-label={name}
        disabled={readOnly}
        checked={current === 'on'}
        indeterminate={current === 'some'}
        onChange={() => onChange(cells, current !== 'on')}
        styles={{ body: { justifyContent: 'center' } }}
      />
    )
    return description ? <Tooltip label={description}><Box>{control}</Box></Tooltip> : control
  },
  (before, after) =>
    before.name === after.name &&
    before.current === after.current &&
    before.readOnly === after.readOnly &&
    before.description === after.description &&
    before.onChange === after.onChange &&
    before.cells.length === after.cells.length &&
    before.cells.every((cell, index) => cell.row === after.cells[index]?.row && cell.action === after.cells[index]?.action),
)
