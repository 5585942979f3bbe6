import { ActionIcon, Box, Button, Collapse, Group, Menu, Paper, Stack, Text, UnstyledButton } from '@mantine/core'
import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, ClipboardCopy, ClipboardPaste, Copy, Ellipsis, Plus, Trash2 } from 'lucide-react'
import { memo, useCallback, useState, type ClipboardEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { useModel } from '../../api/hooks'
import { toast } from '../../components/toast'
import { useEntryScope } from '../../content/editor/scope'
import { useEditor, type Path, type Values } from '../../content/editor/store'
import { fieldTypeOf } from '../registry'
import { copyPart, parseCopiedPart, pastedPart, useCopiedPart, writeCopiedPart, type CopiedPart } from './partClipboard'
import { PartFields } from './PartFields'
import { useFocusAfterRemoval } from './useFocusAfterRemoval'
import { DragHandle, moveItem, SortableItem, SortableList } from './Sortable'

export type Part = Values & { __key: string; __component?: string; id?: number }
type Change = (recipe: (parts: Part[]) => Part[]) => void

const NO_PROBLEMS = {}

type Props = {
  path: Path
  parts: Part[]
  uidOf: (part: Part) => string
  /** The components that may stand here. */
  allowed: string[]
  isInZone: boolean
  /** Has to stay the same function: rows render again when it changes. */
  change: Change
  locked?: string
  canAdd: boolean
  /** The key of the part that was added last: it opens, and its first field takes the cursor. */
  added?: string
  /** The control that adds a part at a place. */
  adder: (at: number, close: () => void) => ReactNode
  /** The control that adds a part at the end. */
  children?: ReactNode
}

/** Parts one under the other: collapsible, ordered by dragging or keys, duplicated, copied to other entries, removed. */
export function PartList({ path, parts, uidOf, allowed, isInZone, change, locked, canAdd, added, adder, children }: Props) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [adding, setAdding] = useState<number | null>(null)
  const model = useModel()
  const copied = useCopiedPart()
  const errors = useStore(useEditor(), (state) => state.errors)
  const key = path.join('.')
  const [seen, setSeen] = useState<object>(NO_PROBLEMS)
  // Parts with new problems open by themselves, and may be closed again.
  if (seen !== errors) {
    setSeen(errors)
    const broken = parts.filter((_, index) => Object.keys(errors).some((one) => one.startsWith(`${key}.${index}.`)))
    if (broken.length > 0) setOpen((all) => new Set([...all, ...broken.map((part) => part.__key)]))
  }
  const [opened, setOpened] = useState(added)
  if (added !== undefined && opened !== added) {
    setOpened(added)
    setOpen((all) => new Set([...all, added]))
  }
  const toggle = useCallback(
    (one: string) =>
      setOpen((all) => {
        const next = new Set(all)
        if (!next.delete(one)) next.add(one)
        return next
      }),
    [],
  )
  const { list, onRemove } = useFocusAfterRemoval(parts.length, useCallback((index: number) => `${key}.${index}`, [key]))
  const remove = useCallback(
    (index: number) => {
      onRemove(index)
      change((all) => all.filter((_, at) => at !== index))
    },
    [onRemove, change],
  )
  const insertAfter = useCallback(
    (index: number, part: Values) => {
      change((all) => [...all.slice(0, index + 1), part as Part, ...all.slice(index + 1)])
      setOpen((all) => new Set([...all, part.__key as string]))
    },
    [change],
  )
  const paste = (what: CopiedPart | null): boolean => {
    const part = what && canAdd && !locked && allowed.includes(what.component) ? pastedPart(what, model, isInZone) : null
    if (part) insertAfter(parts.length - 1, part)
    return part !== null
  }
  const pasteFromClipboard = (event: ClipboardEvent) => {
    const target = event.target as HTMLElement
    if (target.matches('input, textarea, [contenteditable=true]')) return
    if (!paste(parseCopiedPart(event.clipboardData.getData('text/plain')))) return
    event.preventDefault()
    event.stopPropagation()
  }
  const fits = copied !== null && allowed.includes(copied.component)
  const copiedName = copied && (model.components.get(copied.component)?.info.displayName ?? copied.component)
  const areAllOpen = parts.every((part) => open.has(part.__key))
  return (
    <Stack ref={list} gap={6} onPaste={pasteFromClipboard}>
      {parts.length > 1 && (
        <Group justify="flex-end">
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setOpen(areAllOpen ? new Set() : new Set(parts.map((part) => part.__key)))}>
            {areAllOpen ? t('part.collapseAll') : t('part.expandAll')}
          </Button>
        </Group>
      )}
      <SortableList ids={parts.map((part) => part.__key)} onMove={(from, to) => change((all) => moveItem(all, from, to))}>
        {parts.map((part, index) => (
          <SortableItem key={part.__key} id={part.__key}>
            {adding === index && <Box mb={6}>{adder(index, () => setAdding(null))}</Box>}
            <PartRow
              part={part}
              uid={uidOf(part)}
              path={key}
              index={index}
              isLast={index === parts.length - 1}
              isOpen={open.has(part.__key)}
              hasProblem={Object.keys(errors).some((one) => one.startsWith(`${key}.${index}.`) || one === `${key}.${index}`)}
              locked={locked}
              canAdd={canAdd}
              isAdded={part.__key === added}
              change={change}
              onToggle={toggle}
              onInsertAfter={insertAfter}
              onRemove={remove}
              onAddAbove={setAdding}
            />
          </SortableItem>
        ))}
      </SortableList>
      {!locked && (
        <Group gap="xs" align="flex-start">
          {children}
          {fits && canAdd && (
            <Button variant="subtle" color="gray" leftSection={<ClipboardPaste size={14} />} onClick={() => paste(copied)}>
              {t('part.paste', { name: copiedName })}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}

type RowProps = {
  part: Part
  uid: string
  path: string
  index: number
  isLast: boolean
  isOpen: boolean
  hasProblem: boolean
  locked?: string
  canAdd: boolean
  isAdded: boolean
  change: Change
  onToggle: (key: string) => void
  onInsertAfter: (index: number, part: Values) => void
  onRemove: (index: number) => void
  onAddAbove: (index: number) => void
}

/** One part. Typing in another one does not render it again. */
const PartRow = memo(function PartRow(props: RowProps) {
  const { part, uid, path, index, isLast, isOpen, hasProblem, locked, canAdd, isAdded, change, onToggle, onInsertAfter, onRemove, onAddAbove } = props
  const { t } = useTranslation()
  const model = useModel()
  const { locale, status } = useEntryScope()
  const name = model.components.get(uid)?.info.displayName ?? uid
  const copied = () => copyPart(part, uid, model, { locale, status })
  const copy = async () => {
    await writeCopiedPart({ component: uid, values: await copied() })
    toast(t('part.copied', { name }))
  }
  return (
    <Paper withBorder className="quire-surface" style={hasProblem ? { borderColor: 'var(--mantine-color-error)' } : undefined}>
      <Group gap={4} px={6} mih={36} wrap="nowrap">
        {!locked && <DragHandle label={t('order.movePart', { name, at: index + 1 })} />}
        <UnstyledButton data-item={`${path}.${index}`} aria-expanded={isOpen} onClick={() => onToggle(part.__key)} style={{ flex: 1, minWidth: 0, padding: '7px 4px' }}>
          <Group gap={8} wrap="nowrap">
            {isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
            <Text size="sm" fw={500} style={{ flexShrink: 0 }}>{name}</Text>
            <Text size="sm" c="dimmed" className="quire-ellipsis">
              <PartSummary part={part} uid={uid} />
            </Text>
          </Group>
        </UnstyledButton>
        <Menu position="bottom-end" keepMounted={false} returnFocus={false}>
          <Menu.Target>
            <ActionIcon size="sm" aria-label={t('part.actions', { name, at: index + 1 })}><Ellipsis size={15} /></ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {!locked && (
              <>
                <Menu.Item leftSection={<ArrowUp size={14} />} disabled={index === 0} onClick={() => change((all) => moveItem(all, index, index - 1))}>{t('part.up')}</Menu.Item>
                <Menu.Item leftSection={<ArrowDown size={14} />} disabled={isLast} onClick={() => change((all) => moveItem(all, index, index + 1))}>{t('part.down')}</Menu.Item>
                {canAdd && <Menu.Item leftSection={<Copy size={14} />} onClick={() => void copied().then((one) => onInsertAfter(index, one))}>{t('part.duplicate')}</Menu.Item>}
              </>
            )}
            <Menu.Item leftSection={<ClipboardCopy size={14} />} onClick={() => void copy()}>{t('part.copy')}</Menu.Item>
            {!locked && (
              <>
                {canAdd && <Menu.Item leftSection={<Plus size={14} />} onClick={() => onAddAbove(index)}>{t('part.addAbove')}</Menu.Item>}
                <Menu.Divider />
                <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => onRemove(index)}>{t('part.remove')}</Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Collapse expanded={isOpen} transitionDuration={120}>
        {isOpen && (
          <Box ref={isAdded ? focusFirst : undefined} p="sm" pt={4} style={{ borderTop: '1px solid var(--quire-hairline)' }}>
            <PartBody uid={uid} path={path} index={index} locked={locked} />
          </Box>
        )}
      </Collapse>
    </Paper>
  )
})

/** Put the focus in the first field of a part that was added. */
export function focusFirst(fields: HTMLElement | null): void {
  const first = fields?.querySelector<HTMLElement>('input:not([type=hidden]),textarea,[contenteditable=true]') ?? fields?.querySelector('button')
  first?.focus()
}

/** How many parts there are, and how many there may be. */
export function PartCount({ count, min, max }: { count: number; min: number; max: number }) {
  const { t } = useTranslation()
  return (
    <Text size="xs" c={count < min || count > max ? 'var(--mantine-color-error)' : 'dimmed'} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {Number.isFinite(max) ? `${count}/${max}` : count}
      {count < min && ` · ${t('part.atLeast', { min })}`}
    </Text>
  )
}

/** The fields of one part: they stay as they are when its values change. */
const PartBody = memo(function PartBody({ uid, path, index, locked }: { uid: string; path: string; index: number; locked?: string }) {
  const steps = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  return <PartFields uid={uid} path={[...steps, index]} locked={locked} />
})

/** The title field of a part, or the first text in it. */
export function PartSummary({ part, uid }: { part: Values; uid: string }) {
  const model = useModel()
  const { configuration } = useEntryScope()
  const main = configuration.components[uid]?.settings.mainField
  const attributes = model.components.get(uid)?.attributes ?? {}
  const names = [main, ...Object.keys(attributes)].filter((name): name is string => Boolean(name) && name !== 'documentId' && name !== 'id')
  for (const name of names) {
    const attribute = attributes[name]
    const text = attribute && fieldTypeOf(attribute).summary?.(part[name])
    if (text) return <>{text.slice(0, 120)}</>
  }
  return null
}
