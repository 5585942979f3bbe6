import { Box, useComputedColorScheme } from '@mantine/core'
import { json as jsonLanguage } from '@codemirror/lang-json'
import CodeMirror, { EditorView } from '@uiw/react-codemirror'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { pathKey, useEditor, useField } from '../../content/editor/store'
import { FieldFrame } from '../shared/Frame'
import type { InputProps } from '../types'

const textOf = (value: unknown) => (value === null || value === undefined ? '' : JSON.stringify(value, null, 2))

/** Why a text is no JSON; empty for one that is. */
function reasonOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (reason) {
    return (reason as Error).message
  }
}

/** The text as typed; the value follows while it is JSON. */
export default function JsonInput(props: InputProps) {
  const { t } = useTranslation()
  const scheme = useComputedColorScheme('light')
  const { value, error, set } = useField(props.path)
  const store = useEditor()
  const generation = useStore(store, (state) => state.generation)
  const invalid = useStore(store, (state) => state.invalid[pathKey(props.path)])
  const [text, setText] = useState({ generation, value: invalid ?? textOf(value) })
  const problem = invalid === undefined ? undefined : t('json.invalid', { reason: reasonOf(invalid) })
  if (text.generation !== generation) setText({ generation, value: invalid ?? textOf(value) })
  const change = (typed: string) => {
    setText({ generation, value: typed })
    const reason = typed.trim() === '' ? '' : reasonOf(typed)
    store.getState().setInvalid(props.path, reason ? typed : null)
    if (!reason) set(typed.trim() === '' ? null : JSON.parse(typed))
  }
  return (
    <FieldFrame {...props} error={problem ?? error}>
      <Box bd={`1px solid ${problem || error ? 'var(--mantine-color-error)' : 'var(--mantine-color-default-border)'}`} style={{ borderRadius: 6, overflow: 'hidden' }}>
        <CodeMirror
          value={text.value}
          theme={scheme}
          minHeight="96px"
          maxHeight="360px"
          readOnly={Boolean(props.locked)}
          // Tab goes on to the next field.
          indentWithTab={false}
          basicSetup={{ foldGutter: false, highlightActiveLine: false }}
          extensions={[jsonLanguage(), EditorView.contentAttributes.of({ 'aria-label': props.label })]}
          onChange={change}
        />
      </Box>
    </FieldFrame>
  )
}
