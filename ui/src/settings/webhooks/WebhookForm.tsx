import { ActionIcon, Alert, Button, Code, Group, SimpleGrid, Stack, Switch, Text, TextInput, Tooltip } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { Webhook } from '../../api/generated'
import { useAbility } from '../../api/hooks'
import { FormError } from '../../auth/AuthPage'
import { PermissionMatrix, type MatrixRow } from '../../components/PermissionMatrix'
import { ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { CopyableText, SaveButton, Section, SettingsPage } from '../components'
import { settingsKey, webhookQuery } from '../queries'
import { Deliveries } from './Deliveries'

const EVENTS = {
  entry: ['create', 'update', 'delete', 'publish', 'unpublish', 'draft-discard'],
  media: ['create', 'update', 'delete'],
} as const
const ADDRESS = /^https?:\/\/\S+$/

export function NewWebhook() {
  return <WebhookForm webhook={null} />
}

/** A webhook that there is, with what was sent to it. */
export function EditWebhook() {
  const { t } = useTranslation()
  const { id } = useParams({ from: '/shell/settings/webhooks/$id' })
  const webhook = useQuery(webhookQuery(id))
  if (webhook.data) return <WebhookForm key={id} webhook={webhook.data} />
  return (
    <SettingsPage title={t('settings.webhooks')}>
      {webhook.error ? <ErrorState error={webhook.error} retry={() => void webhook.refetch()} /> : <Loading />}
    </SettingsPage>
  )
}

function WebhookForm({ webhook }: { webhook: Webhook | null }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const mayChange = ability.can(webhook ? 'admin::webhooks.update' : 'admin::webhooks.create')
  const form = useForm({
    initialValues: {
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      isEnabled: webhook?.isEnabled ?? true,
      events: webhook?.events ?? [],
      headers: Object.entries(webhook?.headers ?? {}).map(([name, value]) => ({ name, value: String(value) })),
    },
    validate: {
      name: (value) => (value.trim() ? null : t('form.required')),
      url: (value) => (ADDRESS.test(value) ? null : t('webhooks.urlInvalid')),
      events: (value) => (value.length > 0 ? null : t('webhooks.eventsNone')),
    },
  })
  const save = useMutation({
    mutationFn: async ({ isEnabled, ...values }: typeof form.values) => {
      const headers = Object.fromEntries(values.headers.filter((one) => one.name.trim()).map((one) => [one.name.trim(), one.value]))
      const body = { ...values, headers }
      if (webhook) return (await request('PUT /admin/webhooks/{id}', { path: { id: webhook.id }, body: { ...body, isEnabled } })).data
      return (await request('POST /admin/webhooks', { body })).data
    },
    onSuccess: (saved, sent) => {
      // What was typed meanwhile is not saved.
      form.resetDirty(sent)
      void queries.invalidateQueries({ queryKey: settingsKey('webhooks') })
      toast(t('settings.saved'))
      if (!webhook) void navigate({ to: '/settings/webhooks/$id', params: { id: saved.id }, replace: true, ignoreBlocker: true })
    },
  })
  const rows: MatrixRow[] = (['entry', 'media'] as const).map((kind) => ({ id: kind, label: t(`webhooks.kind.${kind}`), actions: EVENTS[kind] }))
  return (
    <SettingsPage
      title={webhook ? webhook.name : t('webhooks.create')}
      back={{ to: '/settings/webhooks', label: t('settings.webhooks') }}
      actions={
        <SaveButton
          isDirty={form.isDirty()}
          canSave={webhook === null || form.isDirty()}
          isSaving={save.isPending}
          disabledReason={mayChange ? undefined : t('settings.readOnly')}
          onSave={() => !form.validate().hasErrors && save.mutate(form.values)}
        />
      }
    >
      <FormError error={save.error} />
      <Section title={t('webhooks.about')}>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={t('settings.name')} withAsterisk data-autofocus disabled={!mayChange} {...form.getInputProps('name')} />
            <TextInput label={t('webhooks.url')} withAsterisk type="url" placeholder="https://example.com/build" disabled={!mayChange} {...form.getInputProps('url')} />
          </SimpleGrid>
          {webhook && <Switch size="sm" label={t('providers.enabled')} disabled={!mayChange} {...form.getInputProps('isEnabled', { type: 'checkbox' })} />}
          <Text size="sm" fw={500}>{t('webhooks.headers')}</Text>
          {form.values.headers.map((_, index) => (
            <Group key={index} gap="xs" wrap="nowrap">
              <TextInput flex={1} aria-label={t('webhooks.headerName', { at: index + 1 })} placeholder="Authorization" disabled={!mayChange} {...form.getInputProps(`headers.${index}.name`)} />
              <TextInput flex={2} aria-label={t('webhooks.headerValue', { at: index + 1 })} placeholder="Bearer …" disabled={!mayChange} {...form.getInputProps(`headers.${index}.value`)} />
              {mayChange && <ActionIcon aria-label={t('webhooks.headerRemove', { at: index + 1 })} onClick={() => form.removeListItem('headers', index)}><Trash2 size={14} /></ActionIcon>}
            </Group>
          ))}
          {mayChange && (
            <Group><Button variant="default" size="compact-xs" leftSection={<Plus size={12} />} onClick={() => form.insertListItem('headers', { name: '', value: '' })}>{t('webhooks.headerAdd')}</Button></Group>
          )}
        </Stack>
      </Section>
      <Section title={t('webhooks.events')}>
        <PermissionMatrix
          label={`${t('webhooks.about')}: ${t('webhooks.events')}`}
          what={t('webhooks.kind')}
          actions={EVENTS.entry.map((id) => ({ id, label: t(`webhooks.event.${id}`) }))}
          rows={rows}
          state={(row, action) => (form.values.events.includes(`${row}.${action}`) ? 'on' : 'off')}
          onChange={(cells, on) => {
            const named = cells.map((cell) => `${cell.row}.${cell.action}`)
            const rest = form.values.events.filter((one) => !named.includes(one))
            form.setFieldValue('events', on ? [...rest, ...named] : rest)
          }}
          hint={(row, action) => `${row}.${action}`}
          readOnly={!mayChange}
        />
        {form.errors.events && <Text size="xs" c="var(--mantine-color-error)" mt={4} role="alert">{form.errors.events}</Text>}
      </Section>
      {webhook && <TestSection webhook={webhook} isDirty={form.isDirty()} />}
      {webhook && ability.can('admin::webhooks.update') && <Secret id={webhook.id} />}
      {webhook && <Deliveries id={webhook.id} />}
    </SettingsPage>
  )
}

/** Call the address now, and show how it answers. */
function TestSection({ webhook, isDirty }: { webhook: Webhook; isDirty: boolean }) {
  const { t } = useTranslation()
  const [took, setTook] = useState(0)
  const test = useMutation({
    mutationFn: async () => {
      const begun = performance.now()
      const { data } = await request('POST /admin/webhooks/{id}/trigger', { path: { id: webhook.id } })
      setTook(Math.round(performance.now() - begun))
      return data
    },
    onError: (error) => toastError(error),
  })
  const isArrived = test.data && test.data.statusCode >= 200 && test.data.statusCode < 300
  return (
    <Section title={t('webhooks.test')} hint={t('webhooks.testHint')}>
      <Tooltip label={t('webhooks.saveFirst')} disabled={!isDirty}>
        <Button variant="default" loading={test.isPending} data-disabled={isDirty || undefined} aria-disabled={isDirty} onClick={() => !isDirty && test.mutate()}>{t('webhooks.send')}</Button>
      </Tooltip>
      {test.data && (
        <Alert mt="sm" variant="light" role="status" color={isArrived ? 'green' : 'red'} title={isArrived ? t('webhooks.arrived') : t('webhooks.refused')}>
          <Text size="sm" c="inherit">{t('webhooks.answer', { status: test.data.statusCode, message: test.data.message, ms: took })}</Text>
          {test.data.headers && (
            <Code block fz="xs" mt="xs" tabIndex={0} aria-label={t('webhooks.response')} style={{ maxHeight: 260, overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {[...test.data.headers.map(({ name, value }) => `${name}: ${value}`), '', test.data.body].join('\n')}
            </Code>
          )}
        </Alert>
      )}
    </Section>
  )
}

/** What calls are signed with, once it is asked for. */
function Secret({ id }: { id: string }) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(false)
  const secret = useQuery({
    queryKey: settingsKey('webhooks', id, 'secret'),
    enabled: shown,
    queryFn: async () => (await request('GET /admin/x/webhooks/{id}/secret', { path: { id } })).data.secret,
  })
  return (
    <Section title={t('webhooks.secret')} hint={t('webhooks.secretHint')}>
      {secret.error && <ErrorState error={secret.error} />}
      {secret.data ? <CopyableText label={t('webhooks.secret')} value={secret.data} /> : (
        <Button variant="default" loading={secret.isFetching} onClick={() => setShown(true)}>{t('webhooks.showSecret')}</Button>
      )}
    </Section>
  )
}
