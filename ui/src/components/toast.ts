import { notifications } from '@mantine/notifications'
import { ApiError } from '../api/client'
import { t } from '../i18n'

export function toast(message: string): void {
  notifications.show({ message, autoClose: 4000, closeButtonProps: { 'aria-label': t('action.close') } })
}

/** Say what went wrong; problems of single fields are shown there as well. */
export function toastError(error: unknown, title?: string): void {
  if (error instanceof DOMException && error.name === 'AbortError') return
  const known = error instanceof ApiError ? error : null
  const message =
    known?.status === 403 ? t('error.forbiddenHint') : error instanceof Error ? error.message : String(error)
  notifications.show({
    color: 'red',
    title: title ?? t('error.title'),
    message: known?.requestId && known.status >= 500 ? `${message} (${t('error.requestId')} ${known.requestId})` : message,
    autoClose: 8000,
    closeButtonProps: { 'aria-label': t('action.close') },
    role: 'alert',
  })
}
