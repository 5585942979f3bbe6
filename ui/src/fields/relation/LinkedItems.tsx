import { ActionIcon, Anchor, Box, Button, Group, Paper, Text, Tooltip } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { StatusBadge } from '../../components/StatusBadge'
import { DragHandle, moveItem, SortableItem, SortableList } from '../shared/Sortable'
import type { RelatedItem } from '../types'

const ROW = 34
/** How many entries show at first, and up to how many there is nothing to unfold. */
const SHORT = 8

type Props = {
  label: string
  items: RelatedItem[]
  titleOf: (item: RelatedItem) => string
  addressOf: (item: RelatedItem) => string
  /** Absent where the entries may not be opened. */
  onOpen?: (item: RelatedItem) => void
  /** Absent where the relation may not be changed. */
  onChange?: (items: RelatedItem[]) => void
  /** Told of the place of an entry that is about to be removed. */
  onRemove?: (index: number) => void
}

/** The entries of a relation in their order. Of a long list only the rows in sight are rendered. */
export function LinkedItems({ label, items, titleOf, addressOf, onOpen, onChange, onRemove }: Props) {
  const { t } = useTranslation()
  const [all, setAll] = useState(false)
  const viewport = useRef<HTMLDivElement>(null)
  const isLong = items.length > SHORT + 2
  const shown = isLong && !all ? items.slice(0, SHORT) : items
  // What it returns changes while it stays the same object: the compiler, if one is used, has to leave this alone.
  // eslint-disable-next-line react-hooks/incompatible-library
  const rows = useVirtualizer({
    count: shown.length,
    estimateSize: () => ROW,
    getScrollElement: () => viewport.current,
    getItemKey: (index) => shown[index]!.id,
    overscan: 8,
  })
  // An entry that is added stands at the end: that is shown.
  const [count, setCount] = useState(items.length)
  if (count !== items.length) {
    setCount(items.length)
    if (isLong && items.length > count && count > 0) setAll(true)
  }
  const before = useRef(0)
  useEffect(() => {
    if (viewport.current && items.length > before.current) viewport.current.scrollTop = viewport.current.scrollHeight
    before.current = items.length
  }, [items.length])
  const row = (item: RelatedItem, index: number) => (
    <SortableItem id={String(item.id)}>
      <Group gap={6} px={8} h={ROW} wrap="nowrap" className="quire-surface" style={index > 0 ? { borderTop: '1px solid var(--quire-hairline)' } : undefined}>
        {onChange && items.length > 1 && <DragHandle label={t('order.move', { name: titleOf(item) })} />}
        {onOpen ? (
          <Anchor
            size="sm"
            c="inherit"
            className="quire-ellipsis"
            href={addressOf(item)}
            style={{ flex: 1 }}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return
              event.preventDefault()
              onOpen(item)
            }}
          >
            {titleOf(item)}
          </Anchor>
        ) : (
          <Text size="sm" className="quire-ellipsis" style={{ flex: 1 }}>{titleOf(item)}</Text>
        )}
        {item.status && <StatusBadge status={item.status} />}
        {onChange && (
          <Tooltip label={t('relation.remove')}>
            <ActionIcon
              size="sm"
              aria-label={t('relation.removeNamed', { name: titleOf(item) })}
              data-item={index}
              onClick={() => {
                onRemove?.(index)
                onChange(items.filter((one) => one.id !== item.id))
              }}
            >
              <X size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
    </SortableItem>
  )
  return (
    <Paper withBorder className="quire-surface" style={{ overflow: 'hidden' }}>
      <SortableList ids={shown.map((item) => String(item.id))} onMove={(from, to) => onChange?.(moveItem(items, from, to))}>
        {isLong && all ? (
          <Box ref={viewport} mah={ROW * 12} style={{ overflowY: 'auto' }} tabIndex={0} role="region" aria-label={label}>
            <div role="list" style={{ height: rows.getTotalSize(), position: 'relative' }}>
              {rows.getVirtualItems().map(({ key, index, start }) => (
                <div key={key} role="listitem" aria-posinset={index + 1} aria-setsize={shown.length} style={{ position: 'absolute', insetInline: 0, top: start }}>
                  {row(shown[index]!, index)}
                </div>
              ))}
            </div>
          </Box>
        ) : (
          <div role="list">
            {shown.map((item, index) => <div key={item.id} role="listitem">{row(item, index)}</div>)}
          </div>
        )}
      </SortableList>
      {isLong && (
        <Button fullWidth variant="subtle" color="gray" size="compact-sm" radius={0} style={{ borderTop: '1px solid var(--quire-hairline)' }} aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('relation.showLess') : t('relation.showAll', { count: items.length })}
        </Button>
      )}
    </Paper>
  )
}
