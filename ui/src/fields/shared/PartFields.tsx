import { Grid } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { labelOf, useModel } from '../../api/hooks'
import { useEntryScope } from '../../content/editor/scope'
import { getIn, pathKey, useEditor, type Path, type Values } from '../../content/editor/store'
import { editable } from '../../content/editor/values'
import { hiddenNames } from '../conditions'
import { FieldSlot } from './FieldSlot'

/** The fields of a component, laid out as its view says. */
export function PartFields({ uid, path, locked }: { uid: string; path: Path; locked?: string }) {
  const { t } = useTranslation()
  const model = useModel()
  const store = useEditor()
  const { configuration } = useEntryScope()
  const view = configuration.components[uid]
  const attributes = useMemo(() => Object.fromEntries(editable(model.components.get(uid)?.attributes ?? {})), [model, uid])
  const hidden = useStore(store, (state) => hiddenNames(attributes, (getIn(state.values, path) ?? {}) as Values).join(' ')).split(' ')
  const rows = view?.layouts.edit ?? [Object.keys(attributes).map((name) => ({ name, size: 6 }))]
  return (
    <Grid gap="md">
      {rows.flat().map(({ name, size }) => {
        const attribute = attributes[name]
        if (!attribute || hidden.includes(name)) return null
        const meta = view?.metadatas[name]?.edit
        return (
          <Grid.Col key={name} span={{ base: 12, md: size }}>
            <FieldSlot
              parent={pathKey(path)}
              name={name}
              attribute={attribute}
              label={labelOf(view, name)}
              meta={meta}
              locked={locked ?? (meta?.editable === false ? t('field.notEditable') : undefined)}
            />
          </Grid.Col>
        )
      })}
    </Grid>
  )
}
