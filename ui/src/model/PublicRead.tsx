import { Paper, Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { toastError } from '../components/toast'
import { useEndUserRole } from '../settings/endUserRole'
import type { DraftModel } from './draft'

/** Whether visitors without an account may read a type through the API. It takes effect at once. */
export function PublicRead({ model, inPanel }: { model: DraftModel; inPanel?: boolean }) {
  const { t } = useTranslation()
  const { mayChange, actionsOn, setActions } = useEndUserRole()
  const actions = actionsOn(model.uid)
  const names = model.kind === 'collectionType' ? ['find', 'findOne'] : ['find']
  const change = useMutation({
    mutationFn: (enabled: boolean) => setActions(model.uid, names, enabled),
    onError: (error) => toastError(error),
  })
  if (!mayChange || !actions) return null
  const control = (
    <Switch
      size="sm"
      label={t('model.public')}
      description={inPanel ? t('model.publicHint') : undefined}
      checked={change.isPending ? change.variables : names.every((action) => actions[action]?.enabled)}
      disabled={change.isPending}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  )
  return inPanel ? <Paper withBorder p="md" className="quire-surface">{control}</Paper> : control
}
