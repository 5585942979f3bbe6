import { Box, useComputedColorScheme } from '@mantine/core'
import { json as jsonLanguage } from '@codemirror/lang-json'
import CodeMirror, { EditorView } from '@uiw/react-codemirror'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { useEditor, useField } from '../../content/editor/store'
import { FieldFrame } from '../shared/Frame'
import type { InputProps } from '../types'

const textOf = (value: unknown) => (value === null || value === undefined ? '' : JSON.stringify(value, null, 2))

/** The text as typed; the value follows while it is JSON. */
export default function JsonInput(props: InputProps) {
  const { t } = useTranslation()
  const scheme = useComputedColorScheme('light')
  const { value, error, set } = useField(props.path)
  const generation = useStore(useEditor(), (state) => state.generation)
  const [text, setText] = useState({ generation, value: textOf(value) })
  const [problem, setProblem] = useState<string>()
  if (text.generation !== generation) {
    setText({ generation, value: textOf(value) })
    setProblem(undefined)
  }
  const change = (typed: string) => {
    setText({ generation, value: typed })
    if (typed.trim() === '') {
      setProblem(undefined)
      set(null)
      return
    }
    try {
      set(JSON.parse(typed))
      setProblem(undefined)
    } catch (reason) {
      setProblem(t('json.invalid', { reason: (reason as Error).message }))
    }
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
          basicSetup={{ foldGutter: false, highlightActiveLine: false }}
          extensions={[jsonLanguage(), EditorView.contentAttributes.of({ 'aria-label': props.label })]}
          onChange={change}
        />
      </Box>
    </FieldFrame>
  )
}
