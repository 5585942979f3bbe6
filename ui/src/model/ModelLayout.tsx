import { Alert, Box, Button, Drawer, Stack, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useBlocker, useLocation } from '@tanstack/react-router'
import { ListTree, Lock } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useAbility, useMe } from '../api/hooks'
import { keys } from '../api/keys'
import { fetchSchema, modelStateQuery, reservedNamesQuery } from '../api/model'
import { ErrorState, Loading, MissingScreenPermission } from '../components/States'
import { BUILD } from './permission'
import { useStorePendingChanges, useStoredChanges } from './pendingChanges'
import { PendingBar } from './PendingBar'
import { PendingChangesBanner } from './PendingChangesBanner'
import { useBuilder, useChanges, useProblems } from './store'
import { Tree } from './Tree'

/** The frame of all screens of the model: tree on the left, pending changes below. */
export function ModelLayout() {
  const { t } = useTranslation()
  const ability = useAbility()
  if (!ability.can(BUILD)) {
    return (
      <Stack p={{ base: 'sm', sm: 'lg' }} gap="sm">
        <Title order={1}>{t('nav.model')}</Title>
        <MissingScreenPermission screen={t('nav.model')} permission={BUILD} />
      </Stack>
    )
  }
  return <Frame />
}

function Frame() {
  const { t } = useTranslation()
  const [drawer, { open, close }] = useDisclosure()
  const schema = useQuery({ queryKey: [...keys.builder, 'schema'], queryFn: fetchSchema, staleTime: 0 })
  const state = useQuery(modelStateQuery)
  const reserved = useQuery(reservedNamesQuery)
  const changes = useChanges()
  const problems = useProblems(reserved.data)
  const isLoaded = useBuilder((one) => one.saved !== null)
  const applied = useBuilder((one) => one.applied)
  const pathname = useLocation({ select: (location) => decodeURIComponent(location.pathname).replace(/^\/admin/, '') })
  const current = pathname.startsWith('/model/') && !/^\/model\/(diagram|archive)$/.test(pathname) ? pathname.slice('/model/'.length) : pathname
  const locked = state.data?.writable === false
  const { data } = schema
  const me = useMe()
  const owner = me.documentId ?? String(me.id)
  useStorePendingChanges(owner)
  const stored = useStoredChanges(owner)
  useEffect(() => {
    useBuilder.getState().claim(owner)
    if (!data) return
    const { saved, draft } = useBuilder.getState()
    // What somebody has pending stays: the server judges it by the model that it has.
    if (saved === null || saved === draft) useBuilder.getState().load(data)
  }, [data, owner])
  // Pending changes are kept in this browser alone: closing the page asks first.
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: changes.length > 0 })
  if (schema.error && !isLoaded) return <Stack p={{ base: 'sm', sm: 'lg' }}><Title order={1}>{t('nav.model')}</Title><ErrorState error={schema.error} retry={() => void schema.refetch()} /></Stack>
  if (!isLoaded) return <Stack p={{ base: 'sm', sm: 'lg' }}><Title order={1}>{t('nav.model')}</Title><Loading rows={10} /></Stack>
  return (
    <Box className="quire-model">
      <Box className="quire-model-tree" visibleFrom="sm"><Tree current={current} locked={locked} /></Box>
      <Drawer opened={drawer} onClose={close} title={t('nav.model')} size={300} closeButtonProps={{ 'aria-label': t('action.close') }}>
        <Tree current={current} locked={locked} onPick={close} />
      </Drawer>
      <Box className="quire-model-main">
        <Box className="quire-model-content">
          <Button hiddenFrom="sm" variant="default" m="md" mb={0} leftSection={<ListTree size={14} />} onClick={open}>{t('model.browse')}</Button>
          {locked && (
            <Alert icon={<Lock size={16} />} color="yellow" m="md" mb={0} title={t('model.readOnly')}>
              {state.data?.reason}. {t('model.readOnlyHint')}
            </Alert>
          )}
          <Outlet />
        </Box>
        {!locked && (stored && changes.length === 0 && !applied ? <PendingChangesBanner stored={stored} /> : <PendingBar problems={problems} />)}
      </Box>
    </Box>
  )
}
