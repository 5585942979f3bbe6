import { Alert, Anchor, List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { useModel } from '../../api/hooks'
import type { ContentType, TypeConfiguration } from '../../api/types'
import { fieldNameOf } from '../fieldNames'
import { useEditor } from './store'

/** Everything that keeps an entry from being saved or published, each leading to its field. */
export function Problems({ view, type }: { view: TypeConfiguration; type: ContentType }) {
  const { t } = useTranslation()
  const errors = useStore(useEditor(), (state) => state.errors)
  const nameOf = fieldNameOf(type, view, useModel())
  const entries = Object.entries(errors)
  if (entries.length === 0) return null
  return (
    <Alert variant="light" color="red" p="sm" role="alert" title={t('problems.title', { count: entries.length })}>
      <List size="sm" spacing={2}>
        {entries.map(([path, message]) => (
          <List.Item key={path}>
            <Anchor component="button" type="button" size="sm" c="inherit" fw={600} underline="always" onClick={(event) => goToField(path, event.currentTarget.closest('[data-form]') ?? document)}>
              {nameOf(path.split('.'))}
            </Anchor>
            :{' '}
            <Text span size="sm" c="inherit">{message}</Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** Go to the topmost field that has a problem. */
export function goToFirstProblem(paths: string[], form: ParentNode): void {
  const fields = [...form.querySelectorAll<HTMLElement>('[data-path]')].map((field) => field.dataset.path ?? '')
  // One in a part that is closed stands where that part does.
  const place = (path: string) => fields.findLastIndex((field) => field === path || path.startsWith(`${field}.`))
  const [first] = [...paths].sort((a, b) => place(a) - place(b))
  if (first !== undefined) goToField(first, form)
}

/** Show a field and put the cursor in it; where it has no control of its own, the nearest one around it. */
function goToField(path: string, form: ParentNode): void {
  const steps = path.split('.')
  while (steps.length > 0) {
    const found = form.querySelector<HTMLElement>(`[data-path="${CSS.escape(steps.join('.'))}"]`)
    if (found) {
      const control = found.matches('input,textarea,select')
        ? found
        : (found.querySelector<HTMLElement>('input:not([type=hidden]),textarea,[contenteditable=true],button') ?? found)
      found.scrollIntoView({ block: 'center', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' })
      control.focus({ preventScroll: true })
      return
    }
    steps.pop()
  }
}
