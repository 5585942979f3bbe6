import { Stack, Text } from '@mantine/core'
import { labelOf, useModel } from '../../api/hooks'
import { useEntryScope } from '../../content/editor/scope'
import type { Values } from '../../content/editor/store'
import { editable } from '../../content/editor/values'
import { fieldTypeOf } from '../registry'
import type { DiffProps } from '../types'
import { contentOf } from './diffs'
import { ListDiff } from './ListDiff'
import { listChanges } from './listChanges'
import { PartSummary } from './PartList'

const listOf = (value: unknown): Values[] => (Array.isArray(value) ? (value as Values[]) : value ? [value as Values] : [])

type Linked = { count: number; items?: { documentId: string }[] }

const isLinked = (value: unknown): value is Linked =>
  typeof value === 'object' && value !== null && 'count' in value && Object.keys(value).every((name) => ['count', 'items', 'original'].includes(name))

/** What tells parts apart: what relations lead to, or their number where no more is known of one of both. */
function comparing(before: unknown, after: unknown): (value: unknown) => string {
  const isCounted = /\{"count":[1-9]\d*\}/.test(JSON.stringify([before, after]))
  const plain = (_: string, value: unknown) => (isLinked(value) ? (isCounted ? value.count : (value.items ?? []).map((item) => item.documentId)) : value)
  return (value) => JSON.stringify(contentOf(value ?? null), plain)
}

/** Components one by one: added, removed, moved; and field by field where one has changed. */
export function PartsDiff({ before, after, attribute }: DiffProps) {
  const model = useModel()
  const uidOf = (part: Values) => attribute.component ?? String(part.__component)
  const changes = listChanges(listOf(before), listOf(after), {
    keyOf: comparing(before, after),
    isPair: (one, other) => uidOf(one) === uidOf(other),
  })
  return (
    <ListDiff
      changes={changes}
      show={(part, old) => {
        const uid = uidOf(part)
        return (
          <>
            <Text span inherit fw={500}>{model.components.get(uid)?.info.displayName ?? uid}</Text>{' '}
            {old ? <FieldsDiff uid={uid} before={old} after={part} /> : <PartSummary part={part} uid={uid} />}
          </>
        )
      }}
    />
  )
}

/** The fields of a component that have changed. */
function FieldsDiff({ uid, before, after }: { uid: string; before: Values; after: Values }) {
  const model = useModel()
  const view = useEntryScope().configuration.components[uid]
  const textOf = comparing(before, after)
  const changed = editable(model.components.get(uid)?.attributes ?? {}).filter(
    ([name]) => textOf(before[name]) !== textOf(after[name]),
  )
  return (
    <Stack gap={6} mt={4}>
      {changed.map(([name, attribute]) => {
        const { Diff } = fieldTypeOf(attribute)
        return (
          <div key={name}>
            <Text size="xs" c="dimmed">{labelOf(view, name)}</Text>
            <Diff before={before[name]} after={after[name]} attribute={attribute} />
          </div>
        )
      })}
    </Stack>
  )
}
