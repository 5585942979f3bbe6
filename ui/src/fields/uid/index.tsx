import { ActionIcon, Group, Loader, Text, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Check, RefreshCw, TriangleAlert } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { toastError } from '../../components/toast'
import { useEntryScope } from '../../content/editor/scope'
import { getIn, useEditor, useField } from '../../content/editor/store'
import { TextCell } from '../shared/cells'
import { TextDiff } from '../shared/diffs'
import { TextFilter } from '../shared/filters'
import { inputProps } from '../shared/Frame'
import { TEXT } from '../shared/operators'
import type { FieldType, InputProps } from '../types'

const FOLLOWS_AFTER_MS = 400

/**
 * A short name for addresses: it follows another field from a new entry until that is published or somebody types a
 * name, is made of it on demand later, and is checked while it is typed.
 */
function Input(props: InputProps) {
  const { t } = useTranslation()
  const store = useEditor()
  const { uid, locale, documentId, isPublished } = useEntryScope()
  const { value, error, set } = useField<string | null | undefined>(props.path)
  const saved = getIn(store.getState().saved, props.path)
  const [busy, setBusy] = useState(false)
  const [asked] = useDebouncedValue(value ?? '', 300)
  const field = String(props.path[props.path.length - 1])
  const isOfType = props.path.length === 1
  const { targetField } = props.attribute
  const [follows, setFollows] = useState(documentId === null && !value && !props.locked)
  const check = useQuery({
    queryKey: ['uid', uid, field, locale, asked],
    enabled: isOfType && asked !== '' && asked !== saved && !props.locked,
    queryFn: async () =>
      (await request('POST /content-manager/uid/check-availability', {
        query: { locale },
        body: { contentTypeUID: uid, field, value: asked } as never,
      })) as unknown as { isAvailable: boolean; suggestion: string | null },
  })
  const latest = useRef(0)
  const generate = async (isQuiet = false) => {
    const number = ++latest.current
    setBusy(true)
    try {
      const { values, saved: before } = store.getState()
      const made = await request('POST /content-manager/uid/generate', {
        query: { locale },
        body: { contentTypeUID: uid, field, data: { ...values, documentId, [field]: '' } } as never,
      })
      // What was typed or asked for since counts. The name of an entry that was stored since is taken by itself: it
      // is asked for again with its id.
      if (number !== latest.current || (isQuiet && documentId === null && store.getState().saved !== before)) return
      const text = String((made as { data: unknown }).data)
      if (isQuiet) store.getState().derive(props.path, text)
      else set(text)
    } catch (reason) {
      if (!isQuiet) toastError(reason)
    } finally {
      setBusy(false)
    }
  }
  const follow = useEffectEvent(() => void generate(true))
  useEffect(() => {
    if (!follows || isPublished || !targetField || !isOfType) return
    let timer = 0
    const wait = (source: unknown) => {
      window.clearTimeout(timer)
      if (source) timer = window.setTimeout(follow, FOLLOWS_AFTER_MS)
    }
    wait(store.getState().values[targetField])
    const stop = store.subscribe(({ values }, before) => {
      if (values[targetField] !== before.values[targetField]) wait(values[targetField])
    })
    return () => {
      stop()
      window.clearTimeout(timer)
    }
  }, [store, follows, isPublished, documentId, targetField, isOfType])
  const ask = () => {
    setFollows(false)
    void generate()
  }
  const isCurrent = asked === value && check.data !== undefined
  const taken = isCurrent && !check.data.isAvailable
  return (
    <div>
      <TextInput
        {...inputProps(props, error)}
        value={value ?? ''}
        onChange={(event) => {
          latest.current += 1
          setFollows(false)
          set(event.currentTarget.value || null)
        }}
        autoComplete="off"
        spellCheck={false}
        rightSectionWidth={64}
        rightSection={
          <Group gap={4} wrap="nowrap">
            {check.isFetching && <Loader size={14} />}
            {isCurrent && check.data.isAvailable && (
              <Check size={15} role="img" aria-label={t('uid.available')} color="var(--mantine-color-green-light-color)" />
            )}
            {isOfType && !props.locked && (
              <Tooltip label={t('uid.generate')}>
                <ActionIcon size="sm" aria-label={t('uid.generateFor', { field: props.label })} loading={busy} onClick={ask}>
                  <RefreshCw size={14} />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        }
      />
      {taken && (
        <Group gap={6} mt={4} role="status">
          <TriangleAlert size={13} />
          <Text size="xs">{t('uid.taken')}</Text>
          {check.data.suggestion && (
            <Text component="button" type="button" size="xs" c="var(--mantine-color-anchor)" bg="none" bd="none" style={{ cursor: 'pointer' }} onClick={() => set(check.data.suggestion)}>
              {t('uid.use', { value: check.data.suggestion })}
            </Text>
          )}
        </Group>
      )}
    </div>
  )
}

export const uid: FieldType = {
  Input,
  Cell: TextCell,
  Diff: TextDiff,
  filter: { operators: TEXT, Value: TextFilter },
  summary: (value) => String(value ?? ''),
}
