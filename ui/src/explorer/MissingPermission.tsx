import { Alert, Anchor, Button, Code, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ShieldAlert } from 'lucide-react'
import { Trans, useTranslation } from 'react-i18next'
import { toast, toastError } from '../components/toast'
import { useEndUserRole } from '../settings/endUserRole'
import { permissionOf, type Draft } from './request'
import type { RunAs } from './store'

interface Props {
  draft: Draft
  runAs: RunAs
  role: number | null
  /** Why the server denied access, for super admins. */
  reason?: string
  onGranted: () => void
}

/** Which permission a refused request lacks, and a way to grant it: to the role that it was sent as, or to visitors; or another reason. */
export function MissingPermission({ draft, runAs, role, reason, onGranted }: Props) {
  const { t } = useTranslation()
  const { mayChange, name: roleName, actionsOn, setActions } = useEndUserRole(role)
  const permission = permissionOf(draft)
  const action = actionsOn(draft.uid)?.[draft.action]
  const grant = useMutation({
    mutationFn: () => setActions(draft.uid, [draft.action], true),
    onSuccess: () => {
      toast(t('explorer.granted'))
      onGranted()
    },
    onError: (error) => toastError(error),
  })
  const name = <Code>{permission}</Code>
  return (
    <>
      <Alert color="yellow" icon={<ShieldAlert size={16} />} title={t('explorer.refused')}>
        <Stack gap="xs" align="flex-start">
          {runAs === 'token' ? (
            <Text size="sm">
              <Trans i18nKey="explorer.tokenLacks" values={{ permission }} components={{ code: name, tokens: <Anchor size="sm" component={Link} to="/settings/api-tokens" underline="always" /> }} />
            </Text>
          ) : action?.enabled ? (
            <Text size="sm"><Trans i18nKey="explorer.otherReason" values={{ permission, role: roleName }} components={{ code: name }} /></Text>
          ) : (
            <>
              <Text size="sm">
                {roleName === undefined ? (
                  <Trans i18nKey="explorer.publicLacks" values={{ permission }} components={{ code: name }} />
                ) : (
                  <Trans i18nKey="explorer.roleLacks" values={{ permission, role: roleName }} components={{ code: name }} />
                )}
              </Text>
              {action && <Button loading={grant.isPending} onClick={() => grant.mutate()}>{t('explorer.grant', { role: roleName })}</Button>}
              {!mayChange && <Text size="sm">{t('explorer.grantByOthers')}</Text>}
            </>
          )}
        </Stack>
      </Alert>
      {/* For a permission that the role lacks, it would say the same again. */}
      {reason && action?.enabled !== false && (
        <Alert color="red" variant="light" p="xs" title={t('explorer.reason')} style={{ overflowWrap: 'anywhere' }}>{reason}</Alert>
      )}
    </>
  )
}
