import { notifications } from '@mantine/notifications'
import { t } from '../i18n'
import { explain } from './errors'

export function toast(message: string): void {
  notifications.show({ message, autoClose: 4000, closeButtonProps: { 'aria-label': t('action.close') } })
}

/** Say why what somebody has asked for is not done. */
export function toastRefusal(message: string): void {
  notifications.show({ color: 'red', message, autoClose: 8000, closeButtonProps: { 'aria-label': t('action.close') }, role: 'alert' })
}

/** Say what went wrong; problems of single fields are shown there as well. */
export function toastError(error: unknown, title?: string): void {
  if (error instanceof DOMException && error.name === 'AbortError') return
  const { title: kind, hint, facts, requestId, remedy } = explain(error)
  const details = [...(remedy === 'reload' ? facts : []), ...(requestId && hint === t('error.serverHint') ? [`${t('error.requestId')} ${requestId}`] : [])]
  notifications.show({
    color: 'red',
    title: title ?? kind,
    message: [hint, ...details].join(' '),
    autoClose: 8000,
    closeButtonProps: { 'aria-label': t('action.close') },
    role: 'alert',
  })
}
