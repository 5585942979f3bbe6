import { Button, Group, Popover, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, request } from '../../api/client'
import { labelOf, useConfiguration, useModel } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { Attribute, ContentType, Entry } from '../../api/types'
import { wordingOf } from '../../components/serverMessages'
import { toastError } from '../../components/toast'
import { FieldSlot } from '../../fields/shared/FieldSlot'
import { queries } from '../../queries'
import { createEditorStore, EditorContext } from '../editor/store'
import { bodyOf } from '../editor/values'

type Props = { type: ContentType; name: string; attribute: Attribute; row: Entry; locale: string | undefined; onClose: () => void; children: ReactNode }

/** One field of an entry, edited over its cell: Enter saves the draft, Escape leaves it as it was. */
export function CellEditor({ type, name, attribute, row, locale, onClose, children }: Props) {
  const { t } = useTranslation()
  const model = useModel()
  const view = useConfiguration(type.uid).contentType
  const [store] = useState(() => createEditorStore({ [name]: row[name] ?? null }))
  const save = useMutation({
    mutationFn: () =>
      request('PUT /content-manager/collection-types/{uid}/{id}', {
        path: { uid: type.uid, id: row.documentId },
        query: { locale },
        body: bodyOf(store.getState().values, [name], type, model) as never,
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keys.content(type.uid) })
      onClose()
    },
    onError: (error) => {
      const problem = error instanceof ApiError ? error.problems[0] : undefined
      if (problem) store.getState().setErrors({ [name]: wordingOf(problem) })
      else toastError(error)
    },
  })
  return (
    <Popover opened onDismiss={onClose} position="bottom-start" width={300} trapFocus returnFocus withinPortal closeOnClickOutside={false}>
      <Popover.Target><div>{children}</div></Popover.Target>
      <Popover.Dropdown>
        <EditorContext.Provider value={store}>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              save.mutate()
            }}
          >
            <Stack gap="xs">
              <FieldSlot name={name} attribute={attribute} label={labelOf(view, name)} meta={view.metadatas[name]?.edit} />
              <Group justify="flex-end" gap="xs">
                <Button size="xs" variant="default" onClick={onClose}>{t('action.cancel')}</Button>
                <Button size="xs" type="submit" loading={save.isPending}>{t('action.save')}</Button>
              </Group>
            </Stack>
          </form>
        </EditorContext.Provider>
      </Popover.Dropdown>
    </Popover>
  )
}
