import { Box, Button, FileButton, Group, Stack, Text, useComputedColorScheme } from '@mantine/core'
import { json } from '@codemirror/lang-json'
import CodeMirror, { EditorView } from '@uiw/react-codemirror'
import { produce } from 'immer'
import { Download, FileUp } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fileOf, isOwn, type DraftModel } from './draft'
import { takeFile } from './edits'
import { useBuilder } from './store'

/** The schema file as text. What is typed takes effect in the draft as soon as it is a schema. */
export function JsonTab({ model, locked: unwritable }: { model: DraftModel; locked: boolean }) {
  const { t } = useTranslation()
  const scheme = useComputedColorScheme('light')
  const locked = unwritable || !isOwn(model)
  const written = `${JSON.stringify(fileOf(model), null, 2)}\n`
  const [typed, setTyped] = useState<{ text: string; of: string } | null>(null)
  const [problem, setProblem] = useState<string>()
  // Typed text stays as long as the draft is what it says; undo shows what the draft says again.
  const text = typed && (problem !== undefined || typed.of === written) ? typed.text : written

  const take = (next: string) => {
    let file: unknown
    try {
      file = JSON.parse(next)
    } catch (error) {
      setTyped({ text: next, of: written })
      setProblem(t('model.json.invalid', { reason: (error as Error).message }))
      return
    }
    try {
      const { draft } = useBuilder.getState()
      const later = produce(draft, (schema) => {
        const found = schema[model.id]
        if (found) takeFile(schema, found, file)
      })
      const taken = later[model.id]
      setTyped({ text: next, of: taken ? `${JSON.stringify(fileOf(taken), null, 2)}\n` : next })
      setProblem(undefined)
      useBuilder.getState().change((schema) => void Object.assign(schema, later), `${model.id} json`)
    } catch (error) {
      setTyped({ text: next, of: written })
      setProblem(t('model.json.noSchema', { path: (error as Error).message }))
    }
  }
  const save = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([written], { type: 'application/json' }))
    link.download = `${model.uid.replace('::', '.')}.schema.json`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">{t(locked ? 'model.json.readOnly' : 'model.json.hint')}</Text>
        <Group gap="xs">
          {!locked && (
            <FileButton accept="application/json,.json" onChange={(file) => void file?.text().then(take)}>
              {(props) => <Button variant="default" leftSection={<FileUp size={14} />} {...props}>{t('model.json.import')}</Button>}
            </FileButton>
          )}
          <Button variant="default" leftSection={<Download size={14} />} onClick={save}>{t('model.json.export')}</Button>
        </Group>
      </Group>
      {problem && <Text size="sm" c="var(--mantine-color-error)" role="alert">{problem}</Text>}
      <Box bd={`1px solid ${problem ? 'var(--mantine-color-error)' : 'var(--mantine-color-default-border)'}`} style={{ borderRadius: 6, overflow: 'hidden' }}>
        <CodeMirror
          value={text}
          theme={scheme}
          minHeight="320px"
          readOnly={locked}
          indentWithTab={false}
          extensions={[json(), EditorView.lineWrapping, EditorView.contentAttributes.of({ 'aria-label': t('model.json.label', { name: model.info.displayName }) })]}
          onChange={take}
        />
      </Box>
    </Stack>
  )
}
