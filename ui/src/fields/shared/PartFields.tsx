import { Grid } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { labelOf, useModel } from '../../api/hooks'
import { useEntryScope } from '../../content/editor/scope'
import { getIn, useEditor, type Path } from '../../content/editor/store'
import { editable } from '../../content/editor/values'
import { isVisible } from '../conditions'
import { fieldTypeOf } from '../registry'

/** The fields of a component, laid out as its view says. */
export function PartFields({ uid, path, locked }: { uid: string; path: Path; locked?: string }) {
  const { t } = useTranslation()
  const model = useModel()
  const store = useEditor()
  const { configuration } = useEntryScope()
  const values = useStore(store, (state) => getIn(state.values, path)) as Record<string, unknown> | null
  const view = configuration.components[uid]
  const attributes = Object.fromEntries(editable(model.components.get(uid)?.attributes ?? {}))
  const rows = view?.layouts.edit ?? [Object.keys(attributes).map((name) => ({ name, size: 6 }))]
  return (
    <Grid gap="md">
      {rows.flat().map(({ name, size }) => {
        const attribute = attributes[name]
        if (!attribute || !isVisible(attribute, values ?? {})) return null
        const { Input } = fieldTypeOf(attribute)
        const meta = view?.metadatas[name]?.edit
        return (
          <Grid.Col key={name} span={{ base: 12, md: size }}>
            <Input
              path={[...path, name]}
              attribute={attribute}
              label={labelOf(view, name)}
              meta={meta}
              required={attribute.required === true}
              locked={locked ?? (meta?.editable === false ? t('field.notEditable') : undefined)}
            />
          </Grid.Col>
        )
      })}
    </Grid>
  )
}
