import { Button, Paper, Text } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useModel } from '../../api/hooks'
import { useField, type Values } from '../../content/editor/store'
import { newPart, replayPart, replayParts, serializePart } from '../../content/editor/values'
import { Nothing } from '../shared/cells'
import { FieldFrame } from '../shared/Frame'
import { PartFields } from '../shared/PartFields'
import { focusFirst, PartCount, PartList, type Part } from '../shared/PartList'
import { PartsDiff } from '../shared/PartsDiff'
import type { CellProps, FieldType, InputProps } from '../types'

const Input = (props: InputProps) => (props.attribute.repeatable ? <Repeatable {...props} /> : <Single {...props} />)

function Single(props: InputProps) {
  const { t } = useTranslation()
  const model = useModel()
  const uid = props.attribute.component ?? ''
  const { value, error, set } = useField<Values | null | undefined>(props.path)
  // The focus goes to what takes the place of the button that was pressed.
  const [pressed, setPressed] = useState<'add' | 'remove' | null>(null)
  return (
    <FieldFrame
      {...props}
      error={error}
      side={
        value && !props.locked ? (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<Trash2 size={12} />}
            aria-label={t('part.removeNamed', { name: props.label })}
            onClick={() => {
              setPressed('remove')
              set(null)
            }}
          >
            {t('part.remove')}
          </Button>
        ) : undefined
      }
    >
      {value ? (
        <Paper ref={pressed === 'add' ? focusFirst : undefined} withBorder p="sm" className="quire-surface">
          <PartFields uid={uid} path={props.path} locked={props.locked} />
        </Paper>
      ) : props.locked ? (
        <Nothing />
      ) : (
        <Button
          variant="default"
          autoFocus={pressed === 'remove'}
          leftSection={<Plus size={14} />}
          aria-label={`${t('part.add')}: ${props.label}`}
          onClick={() => {
            setPressed('add')
            set(newPart(uid, model, false))
          }}
        >
          {t('part.add')}
        </Button>
      )}
    </FieldFrame>
  )
}

function Repeatable(props: InputProps) {
  const { t } = useTranslation()
  const model = useModel()
  const uid = props.attribute.component ?? ''
  const { value, error, change } = useField<Part[] | null | undefined>(props.path)
  const [added, setAdded] = useState<string>()
  const parts = value ?? []
  const min = Number(props.attribute.min ?? 0)
  const max = Number(props.attribute.max ?? Infinity)
  const canAdd = parts.length < max
  const changeParts = useCallback((recipe: (all: Part[]) => Part[]) => change((all) => recipe(all ?? [])), [change])
  const insert = (at: number) => {
    const part = newPart(uid, model, false) as Part
    changeParts((all) => [...all.slice(0, at), part, ...all.slice(at)])
    setAdded(part.__key)
  }
  return (
    <FieldFrame {...props} error={error} side={<PartCount count={parts.length} min={min} max={max} />}>
      <PartList
        path={props.path}
        parts={parts}
        uidOf={() => uid}
        allowed={[uid]}
        isInZone={false}
        change={changeParts}
        locked={props.locked}
        canAdd={canAdd}
        added={added}
        adder={(at, close) => (
          <Button
            autoFocus
            variant="light"
            onClick={() => {
              insert(at)
              close()
            }}
          >
            {t('part.insertHere')}
          </Button>
        )}
      >
        <Button variant="default" leftSection={<Plus size={14} />} disabled={!canAdd} onClick={() => insert(parts.length)} aria-label={`${t('part.add')}: ${props.label}`}>
          {t('part.add')}
        </Button>
        {!canAdd && <Text size="xs" c="dimmed" py={6}>{t('part.full', { max })}</Text>}
      </PartList>
    </FieldFrame>
  )
}

function Cell({ value }: CellProps) {
  const { t } = useTranslation()
  const count = Array.isArray(value) ? value.length : value ? 1 : 0
  return count > 0 ? <span>{t('part.count', { count })}</span> : <Nothing />
}

export const component: FieldType = {
  Input,
  Cell,
  Diff: PartsDiff,
  initial: (attribute, model) =>
    attribute.repeatable ? [] : attribute.required && attribute.component ? newPart(attribute.component, model, false) : null,
  replay: (value, attribute, context) => {
    const uid = attribute.component ?? ''
    if (Array.isArray(value)) return replayParts(value as Values[], () => uid, context)
    return value ? replayPart(value as Values, uid, context) : { value }
  },
  serialize: (value, attribute, model) => {
    const uid = attribute.component ?? ''
    if (Array.isArray(value)) return value.map((part) => serializePart(part as Values, uid, model, false))
    return value ? serializePart(value as Values, uid, model, false) : attribute.repeatable ? [] : null
  },
}
