import { Alert, Skeleton } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useField } from '../../content/editor/store'
import { FieldFrame } from '../shared/Frame'
import type { InputProps } from '../types'
import { optionsOf } from '.'

/** What a custom element of the project's code is given; it dispatches `change` with `detail.value`. */
type Host = HTMLElement & {
  value: unknown
  options: Record<string, unknown>
  disabled: boolean
  error: string | null
  locale: string
}

/** Hosts a custom element that a module of the project defines. */
export function CustomElement({ element, module, ...props }: InputProps & { element: string; module: string }) {
  const { t, i18n } = useTranslation()
  const { value, error, set } = useField(props.path)
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading')
  const place = useRef<HTMLDivElement>(null)
  const host = useRef<Host | null>(null)

  useEffect(() => {
    let current = true
    import(/* @vite-ignore */ module)
      .then(() => current && setState(customElements.get(element) ? 'ready' : 'failed'))
      .catch(() => current && setState('failed'))
    return () => {
      current = false
    }
  }, [element, module])

  useEffect(() => {
    if (state !== 'ready') return
    const made = document.createElement(element) as Host
    made.setAttribute('aria-label', props.label)
    const change = (event: Event) => {
      if (event.target === made && event instanceof CustomEvent) set((event.detail as { value?: unknown } | null)?.value ?? null)
    }
    made.addEventListener('change', change)
    host.current = made
    place.current?.replaceChildren(made)
    return () => {
      made.removeEventListener('change', change)
      host.current = null
    }
  }, [state, element, props.label, set])

  const { attribute, locked } = props
  useEffect(() => {
    if (!host.current) return
    host.current.options = optionsOf(attribute)
    host.current.disabled = Boolean(locked)
    host.current.error = error ?? null
    host.current.locale = i18n.language
    host.current.value = value ?? null
  }, [state, value, error, locked, attribute, i18n.language])

  return (
    <FieldFrame {...props} error={error}>
      {state === 'failed' && <Alert color="red">{t('field.customFailed', { element })}</Alert>}
      {state === 'loading' && <Skeleton height={36} />}
      <div ref={place} />
    </FieldFrame>
  )
}
