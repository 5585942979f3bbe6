import { Alert, Button, Group, Modal, Radio, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { AdminApiToken } from '../../api/generated'
import { useAbility, useModel } from '../../api/hooks'
import { FormError } from '../../auth/AuthPage'
import { ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { ContentApiPermissions } from '../ContentApiPermissions'
import { catalogueOf, type Listed } from '../contentApi'
import { confirmFirst } from '../../components/confirm'
import { CopyableText, SaveButton, Section, SettingsPage } from '../components'
import { settingsKey, tokenActionsQuery, tokenQuery } from '../queries'
import { Expiry } from './TokenList'

const DAY = 24 * 3600 * 1000
const TYPES = ['read-only', 'custom', 'full-access'] as const

/** A new API token. */
export function NewToken() {
  return <TokenForm token={null} />
}

/** An API token that there is. */
export function EditToken() {
  const { id } = useParams({ from: '/shell/settings/api-tokens/$id' })
  const { t } = useTranslation()
  const token = useQuery(tokenQuery(id))
  if (token.data) return <TokenForm key={token.data.id} token={token.data} />
  return (
    <SettingsPage title={t('settings.tokens')}>
      {token.error ? <ErrorState error={token.error} retry={() => void token.refetch()} /> : <Loading />}
    </SettingsPage>
  )
}

function TokenForm({ token }: { token: AdminApiToken | null }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const model = useModel()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const actions = useQuery(tokenActionsQuery)
  const [key, setKey] = useState<string | null>(null)
  const mayChange = ability.can(token ? 'admin::api-tokens.update' : 'admin::api-tokens.create')
  const form = useForm({
    initialValues: {
      name: token?.name ?? '',
      description: token?.description ?? '',
      type: token?.type ?? 'read-only',
      lifespan: '',
      permissions: token?.permissions ?? [],
    },
    validate: { name: (value) => (value.trim() ? null : t('form.required')) },
  })
  const { type } = form.values
  const catalogue = useMemo(() => actions.data && catalogueOf(actions.data.listed, actions.data.routes, model), [actions.data, model])
  const save = useMutation({
    mutationFn: async ({ lifespan, ...values }: typeof form.values) => {
      const body = { ...values, permissions: values.type === 'custom' ? values.permissions : [] }
      if (token) return (await request('PUT /admin/api-tokens/{id}', { path: { id: token.id }, body })).data
      return (await request('POST /admin/api-tokens', { body: { ...body, lifespan: lifespan ? Number(lifespan) * DAY : null } })).data
    },
    onSuccess: (saved, sent) => {
      // What was typed meanwhile is not saved.
      form.resetDirty(sent)
      void queries.invalidateQueries({ queryKey: settingsKey('tokens') })
      if (token) toast(t('settings.saved'))
      else setKey(saved.accessKey ?? '')
    },
    onError: (error) => toastError(error),
  })
  const regenerate = useMutation({
    mutationFn: async () => (await request('POST /admin/api-tokens/{id}/regenerate', { path: { id: token!.id } })).data.accessKey,
    onSuccess: setKey,
    onError: (error) => toastError(error),
  })
  const { permissions } = form.values
  const shown = useMemo(
    () => new Set(type === 'custom' ? permissions : actions.data ? grantedBy(type, actions.data.listed) : []),
    [type, permissions, actions.data],
  )
  const { setFieldValue } = form
  // The matrix is large, and has nothing to do with the name that is being typed.
  const matrix = useMemo(
    () =>
      catalogue && (
        <ContentApiPermissions
          catalogue={catalogue}
          granted={shown}
          readOnly={type !== 'custom' || !mayChange}
          onChange={(granted) => setFieldValue('permissions', [...granted])}
        />
      ),
    [catalogue, shown, type, mayChange, setFieldValue],
  )
  return (
    <SettingsPage
      title={token ? token.name : t('tokens.create')}
      back={{ to: '/settings/api-tokens', label: t('settings.tokens') }}
      actions={
        <>
          {token?.accessKey && <Button variant="default" onClick={() => setKey(token.accessKey ?? null)}>{t('tokens.showKey')}</Button>}
          {token && ability.can('admin::api-tokens.regenerate') && (
            <Button
              variant="default"
              loading={regenerate.isPending}
              onClick={() => confirmFirst({ title: t('tokens.regenerateTitle'), hint: t('tokens.regenerateHint'), confirm: t('tokens.regenerate'), onConfirm: () => regenerate.mutate() })}
            >
              {t('tokens.regenerate')}
            </Button>
          )}
          <SaveButton
            isDirty={form.isDirty()}
            canSave={token === null ? key === null : form.isDirty()}
            isSaving={save.isPending}
            disabledReason={mayChange ? undefined : t('settings.readOnly')}
            onSave={() => !form.validate().hasErrors && save.mutate(form.values)}
          />
        </>
      }
    >
      <FormError error={save.error} />
      <Section title={t('tokens.about')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Stack gap="sm">
            <TextInput label={t('settings.name')} withAsterisk disabled={!mayChange} data-autofocus {...form.getInputProps('name')} />
            <Textarea label={t('settings.description')} autosize minRows={2} disabled={!mayChange} {...form.getInputProps('description')} />
          </Stack>
          {token ? (
            <div>
              <Text size="sm" fw={500}>{t('tokens.expires')}</Text>
              <Text size="sm" component="div"><Expiry token={token} /></Text>
            </div>
          ) : (
            <Select
              label={t('tokens.duration')}
              allowDeselect={false}
              data={[{ value: '', label: t('tokens.unlimited') }, ...['7', '30', '90'].map((days) => ({ value: days, label: t('tokens.days', { count: Number(days) }) }))]}
              {...form.getInputProps('lifespan')}
            />
          )}
        </SimpleGrid>
      </Section>
      <Section title={t('tokens.may')}>
        <Radio.Group aria-label={t('tokens.type')} mb="md" {...form.getInputProps('type')}>
          <Group gap="lg">
            {TYPES.map((one) => (
              <Radio key={one} size="xs" value={one} disabled={!mayChange} label={t(`tokens.type.${one}`)} description={t(`tokens.typeHint.${one}`)} />
            ))}
          </Group>
        </Radio.Group>
        {actions.error && <ErrorState error={actions.error} retry={() => void actions.refetch()} />}
        {actions.isPending && <Loading />}
        {type !== 'full-access' && matrix}
      </Section>
      {key !== null && (
        <KeyDialog
          value={key}
          path={examplePath(shown, catalogue?.routes)}
          keptByServer={Boolean(token?.accessKey)}
          onClose={() => {
            setKey(null)
            if (!token) void navigate({ to: '/settings/api-tokens', ignoreBlocker: true })
          }}
        />
      )}
    </SettingsPage>
  )
}

const READS = ['find', 'findOne']

function grantedBy(type: AdminApiToken['type'], listed: Listed): string[] {
  return Object.entries(listed).flatMap(([api, { controllers }]) =>
    Object.entries(controllers).flatMap(([controller, actions]) =>
      actions.filter((action) => type === 'full-access' || READS.includes(action)).map((action) => `${api}.${controller}.${action}`),
    ),
  )
}

/** A path that can be read with the token. */
function examplePath(granted: ReadonlySet<string>, routes: Map<string, string[]> | undefined): string {
  for (const [uid, addresses] of routes ?? [])
    for (const one of addresses)
      if (uid.startsWith('api::') && granted.has(uid) && one.startsWith('GET ') && !one.includes(':')) return one.slice(4)
  return '/api/…'
}

function KeyDialog({ value, path, keptByServer, onClose }: { value: string; path: string; keptByServer: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal opened onClose={onClose} size="lg" title={t('tokens.key')} closeOnClickOutside={false} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack gap="sm">
        {!keptByServer && <Alert variant="light" color="yellow" p="xs">{t('tokens.keyOnce')}</Alert>}
        <CopyableText label={t('tokens.key')} value={value} />
        <Text size="sm" fw={500}>{t('tokens.curl')}</Text>
        <CopyableText label={t('tokens.curl')} value={`curl ${location.origin}${path} \\\n  -H 'Authorization: Bearer ${value}'`} />
        <Group justify="flex-end"><Button onClick={onClose}>{t('action.done')}</Button></Group>
      </Stack>
    </Modal>
  )
}
