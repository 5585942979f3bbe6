import { notifications, notificationsStore, type NotificationData } from '@mantine/notifications'
import { t } from '../i18n'
import { explain } from './errors'

/** Show a notification in place of one that says the same: it is seen for its whole time, and does not pile up. */
function show({ title, message, ...more }: NotificationData): void {
  notifications.updateState(notificationsStore, (shown) => shown.filter((one) => one.message !== message || one.title !== title))
  notifications.show({ title, message, closeButtonProps: { 'aria-label': t('action.close') }, ...more })
}

export function toast(message: string): void {
  show({ message, autoClose: 4000 })
}

/** Say why what somebody has asked for is not done. */
export function toastRefusal(message: string): void {
  show({ color: 'red', message, autoClose: 8000, role: 'alert' })
}

/** Say what went wrong; problems of single fields are shown there as well. */
export function toastError(error: unknown, title?: string): void {
  if (error instanceof DOMException && error.name === 'AbortError') return
  const { title: kind, hint, facts, requestId, remedy } = explain(error)
  const details = [...(remedy === 'reload' ? facts : []), ...(requestId && hint === t('error.serverHint') ? [`${t('error.requestId')} ${requestId}`] : [])]
  show({
    color: 'red',
    title: title ?? kind,
    message: [hint, ...details].join(' '),
    autoClose: 8000,
    role: 'alert',
  })
}
