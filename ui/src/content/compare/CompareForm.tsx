import { Box, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { labelOf, useModel } from '../../api/hooks'
import type { Attribute, ContentType } from '../../api/types'
import { EmptyState, ErrorState, Loading } from '../../components/States'
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

/** What a draft is compared with, as far as the words for it differ. */
type Kind = 'published' | 'locale' | 'revision'

const HINTS = { published: 'compare.isPublished', locale: 'compare.isOther', revision: 'compare.isRevision' } as const
const COPY = {
  published: { text: 'changes.revert', named: 'changes.revertNamed' },
  locale: { text: 'compare.copy', named: 'compare.copyNamed' },
  revision: { text: 'compare.restore', named: 'compare.restoreNamed' },
} as const

/** The fields of the form beside those of another version: each pair in a row of its own. */
export function CompareForm({ type, loaded, locale, other, names, mayWrite, lockOf, choose }: Props) {
  const { t } = useTranslation()
  const model = useModel()
  const store = useEditor()
  const { configuration } = useEntryScope()
  const view = configuration.contentType
  const source = useQuery(sourceQuery(type, other, locale, model))
  const [showsDifferences, setDifferences] = useState(other.status === PUBLISHED || other.revision !== undefined)
  // Chosen when the comparison begins: what becomes the same while somebody works stays where it is.
  const found = source.data
  const copies = found?.copies
  // An attribute that is younger than a revision has no value there.
  const compared = copies ? names.filter((name) => name in copies) : names
  const shown = useMemo(
    () => (copies && showsDifferences ? compared.filter((name) => !isSame(store.getState().values[name], copies[name])) : compared),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the names are a new list at each render
    [copies, showsDifferences, store],
  )
  const kind: Kind = other.revision ? 'revision' : other.status === PUBLISHED ? 'published' : 'locale'
  const put = (values: Values) => store.getState().restore(values)
  const copyAll = () => {
    if (copies) put(Object.fromEntries(compared.filter((name) => !lockOf(name) && !isSame(store.getState().values[name], copies[name])).map((name) => [name, copies[name]])))
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
        source={found}
        showsDifferences={showsDifferences}
        onDifferences={setDifferences}
        onCopyAll={mayWrite ? copyAll : undefined}
        choose={choose}
      />
      {source.error && <ErrorState error={source.error} retry={() => void source.refetch()} />}
      {source.isPending && <Loading rows={4} height={56} />}
      {found === null && <EmptyState title={t('history.none')}>{t('history.noneHint')}</EmptyState>}
      {found && (
        <OtherVersion type={type} other={other} source={found}>
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
                      copied={found.copies[name]}
                      showsDifferences={showsDifferences}
                      kind={kind}
                      onCopy={lockOf(name) ? undefined : () => put({ [name]: found.copies[name] })}
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
      {found && shown.length < compared.length && (
        <Text size="sm" c="dimmed" role="status">{t('compare.sameFields', { count: compared.length - shown.length })}</Text>
      )}
    </Stack>
  )

  function slotOf(name: string, attribute: Attribute): ReactNode {
    return <FieldSlot name={name} attribute={attribute} label={labelOf(view, name)} meta={view.metadatas[name]?.edit} locked={t(HINTS[kind])} />
  }
}

/** Lets fields show the values of another version, none of which can be changed. */
function OtherVersion({ type, other, source, children }: { type: ContentType; other: Other; source: Source; children: (side: (field: ReactNode) => ReactNode) => ReactNode }) {
  const { configuration, level, isPublished } = useEntryScope()
  const store = useMemo(() => createEditorStore(source.shown), [source])
  const scope = useMemo(() => ({ uid: type.uid, type, configuration, level, isPublished, ...other }), [type, configuration, level, isPublished, other])
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
  kind: Kind
  onCopy?: () => void
  children: ReactNode
}

/** One field of the other version, or how it differs, and a way to take its value over. */
function Beside({ name, attribute, label, copied, showsDifferences, kind, onCopy, children }: BesideProps) {
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
          <Button size="compact-xs" variant="subtle" aria-label={t(COPY[kind].named, { field: label })} onClick={onCopy}>
            {t(COPY[kind].text)}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
