import { ActionIcon, Badge, Button, Checkbox, Group, Menu, Paper, ScrollArea, Stack, Table, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, Copy, Ellipsis, Pencil, TextCursorInput, Trash2 } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import { hasDrafts, labelOf, useAbility, useConfiguration, useLocales } from '../../api/hooks'
import type { ContentType, Entry } from '../../api/types'
import { RelativeTime } from '../../components/RelativeTime'
import { StatusBadge } from '../../components/StatusBadge'
import { fieldTypeOf } from '../../fields/registry'
import { CellEditor } from './CellEditor'
import { columnAttribute } from './fields'
import type { ListState } from './useListState'

export type RowActions = {
  toggle: (entry: Entry) => void
  toggleAll: () => void
  open: (entry: Entry) => void
  duplicate?: (entry: Entry) => void
  publish?: (entry: Entry) => void
  unpublish?: (entry: Entry) => void
  remove?: (entry: Entry) => void
}

export type Density = 'compact' | 'normal' | 'comfortable'
const PADDING: Record<Density, number> = { compact: 3, normal: 7, comfortable: 12 }
const ROW_HEIGHT: Record<Density, number> = { compact: 29, normal: 37, comfortable: 47 }

type Props = {
  type: ContentType
  state: ListState
  rows: Entry[]
  shown: string[]
  selected: ReadonlyMap<string, unknown>
  active: number
  density: Density
  showsLocales: boolean
  mayUpdate: boolean
  titleOf: (entry: Entry) => string
  actions: RowActions
}

/** The entries of a page: a table, or cards where there is no room for one. */
export function ListTable(props: Props) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  return isNarrow ? <Cards {...props} /> : <Rows {...props} />
}

/** Put the focus on the title of the row that the keys have moved to: it comes into sight, and is read aloud. */
function useFocusedRow(list: RefObject<HTMLElement | null>, active: number, scrollTo?: (index: number) => void): void {
  const show = useEffectEvent((index: number) => {
    const find = () => list.current?.querySelector<HTMLElement>(`[data-row="${index}"] .quire-title-link`)
    const link = find()
    if (link) return link.focus()
    scrollTo?.(index)
    const frame = requestAnimationFrame(() => find()?.focus())
    return () => cancelAnimationFrame(frame)
  })
  useEffect(() => (active < 0 ? undefined : show(active)), [active])
}

function Rows(props: Props) {
  const { t } = useTranslation()
  const { type, state, rows, shown, selected, active, density, showsLocales, titleOf, actions } = props
  const view = useConfiguration(type.uid).contentType
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  // Only the rows that can be seen are made, however long the page is.
  const virtual = useWindowVirtualizer({ count: rows.length, estimateSize: () => ROW_HEIGHT[density], overscan: 12, scrollMargin: top })
  useFocusedRow(body, active, (index) => virtual.scrollToIndex(index))
  const items = virtual.getVirtualItems()
  const [before, after] = [(items[0]?.start ?? top) - top, virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top)]
  const mayEdit = useMayEdit(type, props.mayUpdate)
  const [edited, setEdited] = useState<{ documentId: string; name: string } | null>(null)
  const [sortField, sortOrder] = state.sort.split(':') as [string, string]
  const allOnPage = rows.every((row) => selected.has(row.documentId))
  const width = shown.length + 5
  return (
    <Paper withBorder className="quire-surface" style={{ overflow: 'hidden' }}>
      <ScrollArea type="auto" offsetScrollbars="present" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': type.info.displayName }}>
        <Table className="quire-table" verticalSpacing={PADDING[density]} horizontalSpacing="sm" highlightOnHover aria-label={type.info.displayName} aria-rowcount={rows.length + 1}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={36}>
                <Checkbox size="xs" aria-label={t('list.selectAll')} checked={allOnPage} indeterminate={!allOnPage && rows.some((row) => selected.has(row.documentId))} onChange={actions.toggleAll} />
              </Table.Th>
              {shown.map((name) => {
                const label = labelOf(view, name, 'list')
                const isSorted = sortField === name
                const order = sortOrder === 'DESC' ? 'DESC' : 'ASC'
                return (
                  <Table.Th key={name} aria-sort={isSorted ? (order === 'ASC' ? 'ascending' : 'descending') : undefined}>
                    {view.metadatas[name]?.list.sortable !== false ? (
                      <Button
                        variant="transparent"
                        size="compact-xs"
                        p={0}
                        fw={600}
                        c={isSorted ? 'var(--mantine-color-text)' : 'dimmed'}
                        rightSection={isSorted ? order === 'ASC' ? <ArrowUp size={12} /> : <ArrowDown size={12} /> : null}
                        onClick={() => state.change({ sort: `${name}:${isSorted && order === 'ASC' ? 'DESC' : 'ASC'}` })}
                      >
                        {label}
                      </Button>
                    ) : (
                      label
                    )}
                  </Table.Th>
                )
              })}
              {hasDrafts(type) && <Table.Th>{t('entry.status')}</Table.Th>}
              {showsLocales && <Table.Th>{t('entry.locales')}</Table.Th>}
              {!shown.includes('updatedAt') && <Table.Th>{t('entry.updated')}</Table.Th>}
              <Table.Th w={40} className="quire-row-menu"><VisuallyHidden>{t('list.rowActions')}</VisuallyHidden></Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody
            ref={(element) => {
              body.current = element
              const at = element ? Math.round(element.getBoundingClientRect().top + window.scrollY) : 0
              if (element && at !== top) setTop(at)
            }}
          >
            {before > 0 && <tr aria-hidden><td colSpan={width} style={{ height: before, padding: 0 }} /></tr>}
            {items.map(({ index }) => {
              const row = rows[index]
              if (!row) return null
              const isSelected = selected.has(row.documentId)
              return (
                <Table.Tr
                  key={row.documentId}
                  aria-rowindex={index + 2}
                  data-row={index}
                  data-selected={isSelected || undefined}
                  bg={isSelected ? 'var(--mantine-color-brand-light)' : undefined}
                  style={index === active ? { outline: '2px solid var(--mantine-color-brand-5)', outlineOffset: -2 } : undefined}
                >
                  <Table.Td>
                    <Checkbox size="xs" aria-label={t('list.select', { title: titleOf(row) })} checked={isSelected} onChange={() => actions.toggle(row)} />
                  </Table.Td>
                  {shown.map((name, at) => (
                    <Cell
                      key={name}
                      {...props}
                      row={row}
                      name={name}
                      isTitle={at === 0 || name === view.settings.mainField}
                      isEdited={edited?.documentId === row.documentId && edited.name === name}
                      onEdit={mayEdit(name, row) ? (isOpen) => setEdited(isOpen ? { documentId: row.documentId, name } : null) : undefined}
                    />
                  ))}
                  {hasDrafts(type) && <Table.Td>{row.status && <StatusBadge status={row.status} />}</Table.Td>}
                  {showsLocales && <Table.Td><Locales type={type} row={row} /></Table.Td>}
                  {!shown.includes('updatedAt') && <Table.Td>{row.updatedAt && <RelativeTime at={row.updatedAt} size="sm" c="dimmed" />}</Table.Td>}
                  <Table.Td className="quire-row-menu">
                    <RowMenu {...props} row={row} editable={shown.filter((name) => mayEdit(name, row))} onEdit={(name) => setEdited({ documentId: row.documentId, name })} />
                  </Table.Td>
                </Table.Tr>
              )
            })}
            {after > 0 && <tr aria-hidden><td colSpan={width} style={{ height: after, padding: 0 }} /></tr>}
          </Table.Tbody>
        </Table>
      </ScrollArea>
    </Paper>
  )
}

/** Whether a value can be edited in the table: its type can stand alone, and the role may change it. */
function useMayEdit(type: ContentType, mayUpdate: boolean): (name: string, row: Entry) => boolean {
  const ability = useAbility()
  const { metadatas } = useConfiguration(type.uid).contentType
  return (name, row) => {
    const attribute = columnAttribute(type, name, row[name])
    return (
      mayUpdate && type.attributes[name] !== undefined && attribute.writable !== false && Boolean(fieldTypeOf(attribute).standsAlone) && ability.canField('update', type.uid, name) && metadatas[name]?.edit.editable !== false && name !== 'createdAt' && name !== 'updatedAt'
    )
  }
}

type CellOf = Props & { row: Entry; name: string; isTitle: boolean; isEdited: boolean; onEdit?: (isOpen: boolean) => void }

/** A value, which is edited in place by a double click, or from the menu of its row. */
function Cell({ type, state, row, name, isTitle, isEdited, onEdit, titleOf }: CellOf) {
  const view = useConfiguration(type.uid).contentType
  const attribute = columnAttribute(type, name, row[name])
  const meta = view.metadatas[name]
  const { Cell: Shown } = fieldTypeOf(attribute)
  const content = (
    <div className="quire-ellipsis" dir="auto">
      {isTitle ? (
        <Link className="quire-title-link" to="/content/$uid/$documentId" params={{ uid: type.uid, documentId: row.documentId }} search={state.locale ? { locale: state.locale } : {}}>
          {name === view.settings.mainField ? titleOf(row) : <Shown value={row[name]} attribute={attribute} mainField={meta?.list.mainField} />}
        </Link>
      ) : (
        <Shown value={row[name]} attribute={attribute} mainField={meta?.list.mainField} />
      )}
    </div>
  )
  return (
    <Table.Td className={isTitle ? undefined : 'quire-value'} onDoubleClick={onEdit && (() => onEdit(true))}>
      {isEdited && onEdit ? (
        <CellEditor type={type} name={name} attribute={attribute} row={row} locale={state.locale} onClose={() => onEdit(false)}>{content}</CellEditor>
      ) : (
        content
      )}
    </Table.Td>
  )
}

/** The locales of an entry, each with its status, and the way to it. */
function Locales({ type, row }: { type: ContentType; row: Entry }) {
  const { t } = useTranslation()
  const names = new Map(useLocales().map((one) => [one.code, one.name]))
  const versions = [...(row.locale ? [{ locale: row.locale, status: row.status }] : []), ...(row.localizations ?? [])].sort((one, other) => one.locale.localeCompare(other.locale))
  return (
    <Group gap={4} wrap="nowrap">
      {versions.map(({ locale, status }) => {
        const state = hasDrafts(type) && status ? t(`status.${status}`) : null
        const name = names.get(locale) ?? locale
        return (
          <Tooltip key={locale} label={state ? `${name}: ${state}` : name}>
            <Badge
              size="sm"
              variant="default"
              tt="none"
              fw={500}
              leftSection={state ? <span className="quire-status-dot" data-status={status} /> : undefined}
              styles={{ label: { overflow: 'visible' }, root: { cursor: 'pointer' } }}
              renderRoot={(props) => <Link {...props} to="/content/$uid/$documentId" params={{ uid: type.uid, documentId: row.documentId }} search={{ locale }} />}
            >
              {locale}{state && <VisuallyHidden>{state}</VisuallyHidden>}
            </Badge>
          </Tooltip>
        )
      })}
    </Group>
  )
}

type RowMenuProps = Props & { row: Entry; editable?: string[]; onEdit?: (name: string) => void }

function RowMenu({ type, row, titleOf, mayUpdate, actions, editable = [], onEdit }: RowMenuProps) {
  const { t } = useTranslation()
  const view = useConfiguration(type.uid).contentType
  const { open, duplicate, publish, unpublish, remove } = actions
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="sm" aria-label={t('list.actions', { title: titleOf(row) })}><Ellipsis size={15} /></ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Pencil size={14} />} onClick={() => open(row)}>{mayUpdate ? t('action.edit') : t('action.view')}</Menu.Item>
        {editable.length > 0 && (
          <Menu.Sub>
            <Menu.Sub.Target><Menu.Sub.Item leftSection={<TextCursorInput size={14} />}>{t('list.editValue')}</Menu.Sub.Item></Menu.Sub.Target>
            <Menu.Sub.Dropdown>
              {editable.map((name) => <Menu.Item key={name} onClick={() => onEdit?.(name)}>{labelOf(view, name, 'list')}</Menu.Item>)}
            </Menu.Sub.Dropdown>
          </Menu.Sub>
        )}
        {duplicate && <Menu.Item leftSection={<Copy size={14} />} onClick={() => duplicate(row)}>{t('action.duplicate')}</Menu.Item>}
        {publish && row.status !== 'published' && <Menu.Item onClick={() => publish(row)}>{t('action.publish')}</Menu.Item>}
        {unpublish && row.status !== 'draft' && <Menu.Item onClick={() => unpublish(row)}>{t('action.unpublish')}</Menu.Item>}
        {remove && <Menu.Divider />}
        {remove && <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => remove(row)}>{t('action.delete')}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  )
}

function Cards(props: Props) {
  const { t } = useTranslation()
  const { type, state, rows, shown, selected, active, showsLocales, titleOf, actions } = props
  const view = useConfiguration(type.uid).contentType
  const list = useRef<HTMLDivElement>(null)
  useFocusedRow(list, active)
  const mayEdit = useMayEdit(type, props.mayUpdate)
  const [edited, setEdited] = useState<{ documentId: string; name: string } | null>(null)
  const { mainField } = view.settings
  const names = shown.filter((name) => name !== mainField).slice(0, 3)
  /** A value, with its editor where it is edited. */
  const editable = (row: Entry, name: string, content: ReactNode) =>
    edited?.documentId === row.documentId && edited.name === name ? (
      <CellEditor type={type} name={name} attribute={columnAttribute(type, name, row[name])} row={row} locale={state.locale} onClose={() => setEdited(null)}>{content}</CellEditor>
    ) : content
  return (
    <Stack ref={list} gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-label={type.info.displayName}>
      {rows.map((row, index) => (
        <Paper key={row.documentId} component="li" data-row={index} withBorder p="sm" className="quire-surface" bg={selected.has(row.documentId) ? 'var(--mantine-color-brand-light)' : undefined}>
          <Group wrap="nowrap" gap="sm" align="flex-start">
            <Checkbox size="xs" mt={3} aria-label={t('list.select', { title: titleOf(row) })} checked={selected.has(row.documentId)} onChange={() => actions.toggle(row)} />
            <Stack gap={4} style={{ flex: 1, minWidth: 0 }}>
              {editable(row, mainField,
                <Link dir="auto" className="quire-title-link quire-card-title" to="/content/$uid/$documentId" params={{ uid: type.uid, documentId: row.documentId }} search={state.locale ? { locale: state.locale } : {}}>
                  {titleOf(row)}
                </Link>,
              )}
              {names.map((name) => {
                const attribute = columnAttribute(type, name, row[name])
                const { Cell: Shown } = fieldTypeOf(attribute)
                return (
                  <Group key={name} gap={6} wrap="nowrap">
                    <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>{labelOf(view, name, 'list')}</Text>
                    {editable(row, name,
                      <Text size="sm" component="div" className="quire-ellipsis" dir="auto" style={{ minWidth: 0 }}><Shown value={row[name]} attribute={attribute} mainField={view.metadatas[name]?.list.mainField} /></Text>,
                    )}
                  </Group>
                )
              })}
              <Group gap="xs">
                {hasDrafts(type) && row.status && <StatusBadge status={row.status} />}
                {showsLocales && <Locales type={type} row={row} />}
                {row.updatedAt && <RelativeTime at={row.updatedAt} size="xs" c="dimmed" />}
              </Group>
            </Stack>
            <RowMenu {...props} row={row} editable={[mainField, ...names].filter((name) => mayEdit(name, row))} onEdit={(name) => setEdited({ documentId: row.documentId, name })} />
          </Group>
        </Paper>
      ))}
    </Stack>
  )
}
