import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { oneWayCopies } from './copies'
import type { DraftModel } from './draft'
import { listed } from './names'
import { NewModelDialog } from './NewModelDialog'
import { useBuilder } from './store'

/** A new type or component with the fields, settings and layout of this one. */
export function CopyModelButton({ model }: { model: DraftModel }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [opened, { open, close }] = useDisclosure()
  const oneWay = oneWayCopies(model)
  return (
    <>
      <Button variant="default" leftSection={<Copy size={14} />} onClick={open}>{t('model.copy', { name: model.info.displayName })}</Button>
      <NewModelDialog
        kind={opened ? (model.isComponent ? 'component' : model.kind) : null}
        copyOf={model}
        title={t('model.copy', { name: model.info.displayName })}
        onClose={close}
        onMade={(made) => {
          useBuilder.getState().select(null)
          void navigate({ to: '/model/$uid', params: { uid: made.uid } })
        }}
      >
        {oneWay.length > 0 && <Text size="sm" c="dimmed">{t('model.copy.oneWay', { count: oneWay.length, names: listed(oneWay) })}</Text>}
      </NewModelDialog>
    </>
  )
}
