import { Box, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { labelOf, useModel } from '../../api/hooks'
import type { Attribute, ContentType } from '../../api/types'
import { ErrorState, Loading } from '../../components/States'
import { fieldTypeOf } from '../../fields/registry'
import { FieldSlot } from '../../fields/shared/FieldSlot'
import type { Loaded } from '../editor/loading'
import { EntryScopeContext, useEntryScope } from '../editor/scope'
import { createEditorStore, EditorContext, useEditor, type Values } from '../editor/store'
import { CompareBar } from './CompareBar'
import { isSame, PUBLISHED, sourceQuery, type Other, type Source } from './versions'

type Props = {
  type: ContentType
  loaded: Loaded
  locale: string | undefined
  other: Other
  names: string[]
  mayWrite: boolean
  lockOf: (name: string) => string | undefined
  choose: (name: string | undefined) => void
}

/** The fields of the form beside those of another version: each pair in a row of its own. */
export function CompareForm({ type, loaded, locale, other, names, mayWrite, lockOf, choose }: Props) {
  const { t } = useTranslation()
  const model = useModel()
  const store = useEditor()
  const { configuration } = useEntryScope()
  const view = configuration.contentType
  const source = useQuery(sourceQuery(type, other, locale, model))
  const [showsDifferences, setDifferences] = useState(other.status === PUBLISHED)
  // Chosen when the comparison begins: what becomes the same while somebody works stays where it is.
  const copies = source.data?.copies
  const shown = useMemo(
    () => (copies && showsDifferences ? names.filter((name) => !isSame(store.getState().values[name], copies[name])) : names),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the names are a new list at each render
    [copies, showsDifferences, store],
  )
  const put = (values: Values) => store.getState().restore(values)
  const copyAll = () => {
    const found = source.data
    if (!found) return
    put(Object.fromEntries(names.filter((name) => !lockOf(name)).map((name) => [name, found.copies[name]])))
  }
  const slot = (name: string): ReactNode => {
    const attribute = type.attributes[name]
    return attribute && <FieldSlot name={name} attribute={attribute} label={labelOf(view, name)} meta={view.metadatas[name]?.edit} locked={lockOf(name)} />
  }
  return (
    <Stack gap="md">
      <CompareBar
        type={type}
        loaded={loaded}
        locale={locale}
        other={other}
        source={source.data}
        showsDifferences={showsDifferences}
        onDifferences={setDifferences}
        onCopyAll={mayWrite ? copyAll : undefined}
        choose={choose}
      />
      {source.error && <ErrorState error={source.error} retry={() => void source.refetch()} />}
      {!source.data && !source.error && <Loading rows={4} height={56} />}
      {source.data && (
        <OtherVersion type={type} other={other} source={source.data}>
          {(side) =>
            shown.map((name) => {
              const attribute = type.attributes[name]
              if (!attribute) return null
              return (
                <SimpleGrid key={name} cols={{ base: 1, md: 2 }} spacing="lg">
                  <Box style={{ minWidth: 0 }}>{slot(name)}</Box>
                  <Box style={{ minWidth: 0 }}>
                    <Beside
                      name={name}
                      attribute={attribute}
                      label={labelOf(view, name)}
                      copied={source.data.copies[name]}
                      showsDifferences={showsDifferences}
                      isPublished={other.status === PUBLISHED}
                      onCopy={lockOf(name) ? undefined : () => put({ [name]: source.data.copies[name] })}
                    >
                      {side(slotOf(name, attribute))}
                    </Beside>
                  </Box>
                </SimpleGrid>
              )
            })
          }
        </OtherVersion>
      )}
      {source.data && shown.length < names.length && (
        <Text size="sm" c="dimmed" role="status">{t('compare.sameFields', { count: names.length - shown.length })}</Text>
      )}
    </Stack>
  )

  function slotOf(name: string, attribute: Attribute): ReactNode {
    return <FieldSlot name={name} attribute={attribute} label={labelOf(view, name)} meta={view.metadatas[name]?.edit} locked={t(other.status === PUBLISHED ? 'compare.isPublished' : 'compare.isOther')} />
  }
}

/** Lets fields show the values of another version, none of which can be changed. */
function OtherVersion({ type, other, source, children }: { type: ContentType; other: Other; source: Source; children: (side: (field: ReactNode) => ReactNode) => ReactNode }) {
  const { configuration, level } = useEntryScope()
  const store = useMemo(() => createEditorStore(source.shown), [source])
  const scope = useMemo(() => ({ uid: type.uid, type, configuration, level, ...other }), [type, configuration, level, other])
  return children((field) => (
    <EditorContext.Provider value={store}>
      <EntryScopeContext.Provider value={scope}>{field}</EntryScopeContext.Provider>
    </EditorContext.Provider>
  ))
}

type BesideProps = {
  name: string
  attribute: Attribute
  label: string
  copied: unknown
  showsDifferences: boolean
  isPublished: boolean
  onCopy?: () => void
  children: ReactNode
}

/** One field of the other version, or how it differs, and a way to take its value over. */
function Beside({ name, attribute, label, copied, showsDifferences, isPublished, onCopy, children }: BesideProps) {
  const { t } = useTranslation()
  const mine = useStore(useEditor(), (state) => state.values[name])
  const same = isSame(mine, copied)
  const { Diff } = fieldTypeOf(attribute)
  return (
    <Stack gap={4}>
      {showsDifferences ? (
        <>
          <Text size="sm" fw={500} c="dimmed">{label}</Text>
          {same ? (
            <Text size="sm" c="dimmed">{t('compare.same')}</Text>
          ) : (
            <Paper withBorder p="xs" className="quire-surface"><Diff before={copied} after={mine} attribute={attribute} /></Paper>
          )}
        </>
      ) : (
        children
      )}
      {!same && onCopy && (
        <Group>
          <Button size="compact-xs" variant="subtle" aria-label={t(isPublished ? 'changes.revertNamed' : 'compare.copyNamed', { field: label })} onClick={onCopy}>
            {t(isPublished ? 'changes.revert' : 'compare.copy')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
