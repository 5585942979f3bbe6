import { Switch } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { useAbility } from '../api/hooks'
import { toastError } from '../components/toast'
import { queries } from '../queries'
import { endUserRoleQuery, endUserRolesQuery, settingsKey } from '../settings/queries'
import type { DraftModel } from './draft'

const ROLES = 'plugin::users-permissions.roles.'

/** Whether visitors without an account may read a type through the API. It takes effect at once. */
export function PublicRead({ model, hint }: { model: DraftModel; hint?: boolean }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const isAllowed = ability.can(`${ROLES}read`) && ability.can(`${ROLES}update`)
  const roles = useQuery({ ...endUserRolesQuery, enabled: isAllowed })
  const id = roles.data?.find((role) => role.type === 'public')?.id
  const role = useQuery({ ...endUserRoleQuery(String(id)), enabled: id !== undefined, staleTime: 0 })
  const [api = '', controller = ''] = model.uid.split('.')
  const actions = role.data?.permissions?.[api]?.controllers[controller]
  const names = model.kind === 'collectionType' ? ['find', 'findOne'] : ['find']
  const change = useMutation({
    mutationFn: async (enabled: boolean) => {
      if (!role.data || !actions) return
      const { name, description, permissions } = role.data
      const changed = Object.fromEntries(names.map((action) => [action, { ...actions[action], enabled }]))
      const controllers = { ...permissions?.[api]?.controllers, [controller]: { ...actions, ...changed } }
      await request('PUT /users-permissions/roles/{id}', {
        path: { id: role.data.id },
        body: { name, description, permissions: { ...permissions, [api]: { controllers } } },
      })
      await queries.invalidateQueries({ queryKey: settingsKey('end-user-roles') })
    },
    onError: (error) => toastError(error),
  })
  if (!isAllowed || !actions) return null
  return (
    <Switch
      size="sm"
      label={t('model.public')}
      description={hint ? t('model.publicHint') : undefined}
      checked={change.isPending ? change.variables : names.every((action) => actions[action]?.enabled)}
      disabled={change.isPending}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  )
}
