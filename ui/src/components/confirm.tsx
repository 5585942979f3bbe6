import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'
import { t } from '../i18n'

type Question = {
  title: string
  hint?: ReactNode
  /** What the button that goes on says; "Delete" unless told. */
  confirm?: string
  /** Whether nothing is lost: the button is no red one, and takes the focus. */
  isHarmless?: boolean
  onConfirm: () => void
}

/** Ask before something is done. */
export function confirmFirst({ title, hint, confirm, isHarmless, onConfirm }: Question): void {
  modals.openConfirmModal({
    title,
    children: hint ? <Text size="sm" component="div">{hint}</Text> : undefined,
    labels: { confirm: confirm ?? t('action.delete'), cancel: t('action.cancel') },
    confirmProps: isHarmless ? { 'data-autofocus': true } : { color: 'red.9' },
    groupProps: { gap: 'xs' },
    closeButtonProps: { 'aria-label': t('action.close') },
    onConfirm,
  })
}
