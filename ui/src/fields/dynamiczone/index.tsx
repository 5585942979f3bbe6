import { Button, Group, Paper, Text, TextInput, UnstyledButton } from '@mantine/core'
import { Layers, Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useModel } from '../../api/hooks'
import { useField, type Values } from '../../content/editor/store'
import { newPart, replayParts, serializePart } from '../../content/editor/values'
import { Nothing } from '../shared/cells'
import { FieldFrame } from '../shared/Frame'
import { PartCount, PartList, type Part } from '../shared/PartList'
import { PartsDiff } from '../shared/PartsDiff'
import type { CellProps, FieldType, InputProps } from '../types'

function Input(props: InputProps) {
  const { t } = useTranslation()
  const model = useModel()
  const { value, error, change } = useField<Part[] | null | undefined>(props.path)
  const [adding, setAdding] = useState(false)
  const [wasClosed, setWasClosed] = useState(false)
  const [added, setAdded] = useState<string>()
  const parts = value ?? []
  const uids = props.attribute.components ?? []
  const min = Number(props.attribute.min ?? 0)
  const max = Number(props.attribute.max ?? Infinity)
  const canAdd = parts.length < max
  const changeParts = useCallback((recipe: (all: Part[]) => Part[]) => change((all) => recipe(all ?? [])), [change])
  const insert = (uid: string, at: number) => {
    const part = newPart(uid, model, true) as Part
    changeParts((all) => [...all.slice(0, at), part, ...all.slice(at)])
    setAdded(part.__key)
  }
  return (
    <FieldFrame {...props} error={error} side={<PartCount count={parts.length} min={min} max={max} />}>
      <PartList
        path={props.path}
        parts={parts}
        uidOf={(part) => part.__component ?? ''}
        allowed={uids}
        isInZone
        change={changeParts}
        locked={props.locked}
        canAdd={canAdd}
        added={added}
        adder={(at, close) => (
          <Picker
            uids={uids}
            onClose={close}
            onPick={(uid) => {
              insert(uid, at)
              close()
            }}
          />
        )}
      >
        {adding ? (
          <Picker
            uids={uids}
            onClose={() => {
              setAdding(false)
              setWasClosed(true)
            }}
            onPick={(uid) => {
              insert(uid, parts.length)
              setAdding(false)
            }}
          />
        ) : (
          <>
            <Button
              variant="default"
              autoFocus={wasClosed}
              leftSection={<Plus size={14} />}
              disabled={!canAdd}
              aria-label={`${t('zone.add')}: ${props.label}`}
              onClick={() => {
                setAdding(true)
                setWasClosed(false)
              }}
            >
              {t('zone.add')}
            </Button>
            {!canAdd && <Text size="xs" c="dimmed" py={6}>{t('part.full', { max })}</Text>}
          </>
        )}
      </PartList>
    </FieldFrame>
  )
}

/** The components of a zone, to choose one from. */
function Picker({ uids, onPick, onClose }: { uids: string[]; onPick: (uid: string) => void; onClose: () => void }) {
  const { t } = useTranslation()
  const model = useModel()
  const [search, setSearch] = useState('')
  const known = uids.map((uid) => model.components.get(uid)).filter((one) => one !== undefined)
  const words = search.toLowerCase().trim()
  const shown = known.filter((one) => `${one.info.displayName} ${one.category}`.toLowerCase().includes(words))
  return (
    <Paper
      withBorder
      p="xs"
      w="100%"
      className="quire-surface"
      role="group"
      aria-label={t('zone.pick')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      }}
    >
      <Group gap="xs" mb={shown.length ? 'xs' : 0} wrap="nowrap">
        <TextInput
          size="xs"
          autoFocus
          style={{ flex: 1 }}
          aria-label={t('zone.search')}
          placeholder={t('zone.search')}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            if (shown[0]) onPick(shown[0].uid)
          }}
        />
        <Button variant="subtle" color="gray" onClick={onClose}>{t('action.cancel')}</Button>
      </Group>
      <Group gap={6}>
        {shown.map((one) => (
          <UnstyledButton key={one.uid} onClick={() => onPick(one.uid)} title={one.info.description}>
            <Paper withBorder px="sm" py={6}>
              <Group gap={6} wrap="nowrap">
                <Layers size={14} color="var(--mantine-color-dimmed)" />
                <Text size="sm" fw={500}>{one.info.displayName}</Text>
                <Text size="xs" c="dimmed">{one.category}</Text>
              </Group>
            </Paper>
          </UnstyledButton>
        ))}
      </Group>
    </Paper>
  )
}

function Cell({ value }: CellProps) {
  const { t } = useTranslation()
  const count = Array.isArray(value) ? value.length : 0
  return count > 0 ? <span>{t('part.count', { count })}</span> : <Nothing />
}

export const dynamiczone: FieldType = {
  Input,
  Cell,
  Diff: PartsDiff,
  initial: () => [],
  replay: (value, _attribute, context) =>
    Array.isArray(value) ? replayParts(value as Values[], (part) => String(part.__component), context) : { value },
  serialize: (value, _attribute, model) =>
    ((value as Part[] | null) ?? []).map((part: Values) => serializePart(part, String(part.__component), model, true)),
}
