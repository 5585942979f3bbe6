import { ActionIcon, Box, Collapse, Group, Menu, Paper, Stack, Text, UnstyledButton } from '@mantine/core'
import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, Copy, Ellipsis, Plus, Trash2 } from 'lucide-react'
import { memo, useCallback, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { useModel, type Model } from '../../api/hooks'
import { useEntryScope } from '../../content/editor/scope'
import { useEditor, type Path, type Values } from '../../content/editor/store'
import { editable, newKey } from '../../content/editor/values'
import { fieldTypeOf } from '../registry'
import { relationsForCopy } from '../relation'
import type { RelationValue } from '../relation/value'
import { PartFields } from './PartFields'
import { DragHandle, moveItem, SortableItem, SortableList } from './Sortable'

export type Part = Values & { __key: string; __component?: string; id?: number }

const NO_PROBLEMS = {}

type Props = {
  path: Path
  parts: Part[]
  uidOf: (part: Part) => string
  change: (recipe: (parts: Part[]) => Part[]) => void
  locked?: string
  canAdd: boolean
  /** The key of the part that was added last: it opens, and its first field takes the cursor. */
  added?: string
  /** The control that adds a part at a place. */
  adder: (at: number, close: () => void) => ReactNode
}

/** Parts one under the other: collapsible, ordered by dragging or keys, duplicated, removed. */
export function PartList({ path, parts, uidOf, change, locked, canAdd, added, adder }: Props) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [adding, setAdding] = useState<number | null>(null)
  const model = useModel()
  const scope = useEntryScope()
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
  const duplicate = async (part: Part, index: number) => {
    const copy = await copyPart(part, uidOf(part), model, { locale: scope.locale, status: scope.status })
    change((all) => [...all.slice(0, index + 1), copy as Part, ...all.slice(index + 1)])
    setOpen((all) => new Set([...all, copy.__key as string]))
  }
  return (
    <Stack gap={6}>
      <SortableList ids={parts.map((part) => part.__key)} onMove={(from, to) => change((all) => moveItem(all, from, to))}>
        {parts.map((part, index) => {
          const uid = uidOf(part)
          const component = model.components.get(uid)
          const name = component?.info.displayName ?? uid
          const isOpen = open.has(part.__key)
          const hasProblem = Object.keys(errors).some((one) => one.startsWith(`${key}.${index}.`) || one === `${key}.${index}`)
          return (
            <SortableItem key={part.__key} id={part.__key}>
              {adding === index && <Box mb={6}>{adder(index, () => setAdding(null))}</Box>}
              <Paper withBorder className="quire-surface" style={hasProblem ? { borderColor: 'var(--mantine-color-error)' } : undefined}>
                <Group gap={4} px={6} mih={36} wrap="nowrap">
                  {!locked && <DragHandle label={t('order.movePart', { name, at: index + 1 })} />}
                  <UnstyledButton
                    aria-expanded={isOpen}
                    onClick={() => toggle(part.__key)}
                    style={{ flex: 1, minWidth: 0, padding: '7px 4px' }}
                  >
                    <Group gap={8} wrap="nowrap">
                      {isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
                      <Text size="sm" fw={500} style={{ flexShrink: 0 }}>{name}</Text>
                      <Text size="sm" c="dimmed" className="quire-ellipsis">
                        <PartSummary part={part} uid={uid} />
                      </Text>
                    </Group>
                  </UnstyledButton>
                  {!locked && (
                    <Menu position="bottom-end">
                      <Menu.Target>
                        <ActionIcon size="sm" aria-label={t('part.actions', { name, at: index + 1 })}><Ellipsis size={15} /></ActionIcon>
                      </Menu.Target>
                      <Menu.Dropdown>
                        <Menu.Item leftSection={<ArrowUp size={14} />} disabled={index === 0} onClick={() => change((all) => moveItem(all, index, index - 1))}>{t('part.up')}</Menu.Item>
                        <Menu.Item leftSection={<ArrowDown size={14} />} disabled={index === parts.length - 1} onClick={() => change((all) => moveItem(all, index, index + 1))}>{t('part.down')}</Menu.Item>
                        {canAdd && <Menu.Item leftSection={<Copy size={14} />} onClick={() => void duplicate(part, index)}>{t('part.duplicate')}</Menu.Item>}
                        {canAdd && <Menu.Item leftSection={<Plus size={14} />} onClick={() => setAdding(index)}>{t('part.addAbove')}</Menu.Item>}
                        <Menu.Divider />
                        <Menu.Item color="red" leftSection={<Trash2 size={14} />} onClick={() => change((all) => all.filter((one) => one.__key !== part.__key))}>{t('part.remove')}</Menu.Item>
                      </Menu.Dropdown>
                    </Menu>
                  )}
                </Group>
                <Collapse expanded={isOpen} transitionDuration={120}>
                  {isOpen && (
                    <Box ref={part.__key === added ? focusFirst : undefined} p="sm" pt={4} style={{ borderTop: '1px solid var(--quire-hairline)' }}>
                      <PartBody uid={uid} path={key} index={index} locked={locked} />
                    </Box>
                  )}
                </Collapse>
              </Paper>
            </SortableItem>
          )
        })}
      </SortableList>
    </Stack>
  )
}

function focusFirst(fields: HTMLElement | null): void {
  fields?.querySelector<HTMLElement>('input:not([type=hidden]),textarea,[contenteditable=true]')?.focus()
}

/** The fields of one part; typing in a neighbour does not render them again. */
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

/** A copy of a part: without its id, leading where it leads. */
async function copyPart(part: Values, uid: string, model: Model, query: { locale?: string; status: string }): Promise<Values> {
  const copy: Values = { ...part, __key: newKey() }
  delete copy.id
  for (const [name, attribute] of editable(model.components.get(uid)?.attributes ?? {})) {
    const value = part[name]
    if (attribute.type === 'relation') {
      const known = value as RelationValue | null
      copy[name] = known?.items
        ? { count: known.items.length, items: known.items, original: [] }
        : known?.count && typeof part.id === 'number'
          ? await relationsForCopy({ model: uid, id: part.id }, name, query)
          : { count: 0 }
    } else if (attribute.type === 'component' && attribute.component && value) {
      copy[name] = Array.isArray(value)
        ? await Promise.all(value.map((one) => copyPart(one as Values, attribute.component!, model, query)))
        : await copyPart(value as Values, attribute.component, model, query)
    }
  }
  return copy
}

