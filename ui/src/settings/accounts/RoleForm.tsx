import { ActionIcon, Alert, JsonInput, Modal, SimpleGrid, Stack, Text, Textarea, TextInput, Tooltip, Button, Group } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { ListFilter } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { useAbility, useModel } from '../../api/hooks'
import { FormError } from '../../auth/AuthPage'
import { keepOpenWithInput } from '../../components/dialogs'
import type { MatrixRow } from '../../components/PermissionMatrix'
import { ErrorState, Loading } from '../../components/States'
import { toast } from '../../components/toast'
import { ContentApiPermissions } from '../ContentApiPermissions'
import { catalogueOf, grantedOf, listedOf, nameOfAction, writesOf, type Granted, type RolePermissions, type Route } from '../contentApi'
import { SaveButton, Section, SettingsPage } from '../components'
import { endUserRoleQuery, endUserRoutesQuery, settingsKey, type EndUserRole } from '../queries'

/** A role of end users that there is. */
export function EditEndUserRole() {
  return <LoadedRole id={useParams({ from: '/shell/settings/end-user-roles/$id' }).id} />
}

/** A new role of end users, which grants nothing yet. */
export function NewEndUserRole() {
  return <LoadedRole id="new" />
}

function LoadedRole({ id }: { id: string }) {
  const { t } = useTranslation()
  const role = useQuery(endUserRoleQuery(id))
  const routes = useQuery(endUserRoutesQuery)
  if (role.data && routes.data) return <RoleForm key={id} role={role.data} routes={routes.data} />
  const error = role.error ?? routes.error
  return (
    <SettingsPage title={t('settings.endUserRoles')}>
      {error ? <ErrorState error={error} retry={() => [role, routes].filter((one) => one.error).forEach((one) => void one.refetch())} /> : <Loading />}
    </SettingsPage>
  )
}

type Rules = Record<string, Granted['rule']>

function RoleForm({ role, routes }: { role: EndUserRole; routes: Record<string, Route[]> }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const model = useModel()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isNew = role.id === 0
  const permissions = role.permissions ?? {}
  const mayChange = ability.can(`plugin::users-permissions.roles.${isNew ? 'create' : 'update'}`)
  const [granted, setGranted] = useState<ReadonlySet<string>>(() => grantedOf(permissions))
  const [rules, setRules] = useState<Rules>(() => rulesOf(permissions))
  const [ruled, setRuled] = useState<MatrixRow | null>(null)
  const [saved, setSaved] = useState({ granted, rules })
  const form = useForm({
    initialValues: { name: role.name, description: role.description ?? '' },
    validate: { name: (value) => (value.trim() ? null : t('form.required')) },
  })
  const save = useMutation({
    mutationFn: async ({ values, granted, rules }: { values: typeof form.values; granted: ReadonlySet<string>; rules: Rules }) => {
      const body = { ...values, permissions: withGrants(permissions, granted, rules) }
      if (isNew) await request('POST /users-permissions/roles', { body })
      else await request('PUT /users-permissions/roles/{id}', { path: { id: role.id }, body })
    },
    onSuccess: (_, sent) => {
      // What was changed meanwhile is not saved.
      form.resetDirty(sent.values)
      setSaved(sent)
      void queries.invalidateQueries({ queryKey: settingsKey('end-user-roles') })
      toast(t('settings.saved'))
      if (isNew) void navigate({ to: '/settings/end-user-roles', ignoreBlocker: true })
    },
  })
  const catalogue = catalogueOf(listedOf(permissions), routes, model)
  const writes = role.type === 'public' ? writesOf(granted) : []
  return (
    <SettingsPage
      title={isNew ? t('roles.create') : role.name}
      back={{ to: '/settings/end-user-roles', label: t('settings.endUserRoles') }}
      actions={
        <SaveButton
          isDirty={form.isDirty() || granted !== saved.granted || rules !== saved.rules}
          isSaving={save.isPending}
          disabledReason={mayChange ? undefined : t('settings.readOnly')}
          onSave={() => !form.validate().hasErrors && save.mutate({ values: form.values, granted, rules })}
        />
      }
    >
      <FormError error={save.error} />
      <Section title={t('roles.about')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={t('settings.name')} withAsterisk disabled={!mayChange} {...form.getInputProps('name')} />
          <Textarea label={t('settings.description')} autosize minRows={1} disabled={!mayChange} {...form.getInputProps('description')} />
        </SimpleGrid>
      </Section>
      {writes.length > 0 && (
        <Alert color="yellow" variant="light" title={t('endUserRoles.publicWrites')} role="status">
          <Text size="sm" c="inherit">{t('endUserRoles.publicWritesHint', { actions: writes.map((uid) => nameOfAction(uid, catalogue)).join(', ') })}</Text>
        </Alert>
      )}
      <Section title={t('roles.permissions')} hint={t('endUserRoles.permissionsHint')}>
        <ContentApiPermissions
          catalogue={catalogue}
          granted={granted}
          readOnly={!mayChange}
          onChange={setGranted}
          tools={(row) => {
            const actions = row.actions.filter((action) => granted.has(`${row.id}.${action}`))
            const count = actions.filter((action) => rules[`${row.id}.${action}`]).length
            return actions.length === 0 ? null : (
              <Tooltip label={t('rules.title')}>
                <ActionIcon
                  size="sm"
                  variant={count > 0 ? 'light' : 'subtle'}
                  color={count > 0 ? 'brand' : 'gray'}
                  aria-label={t('rules.of', { name: row.label })}
                  onClick={() => setRuled({ ...row, actions })}
                >
                  <ListFilter size={15} />
                </ActionIcon>
              </Tooltip>
            )
          }}
        />
      </Section>
      {ruled && (
        <RuleDialog
          row={ruled}
          rules={rules}
          readOnly={!mayChange}
          onClose={() => setRuled(null)}
          onApply={(changed) => {
            setRules({ ...rules, ...changed })
            setRuled(null)
          }}
        />
      )}
    </SettingsPage>
  )
}

/** Which rows an action is granted for, as filters. */
function RuleDialog({ row, rules, readOnly, onClose, onApply }: {
  row: MatrixRow
  rules: Rules
  readOnly: boolean
  onClose: () => void
  onApply: (rules: Rules) => void
}) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: Object.fromEntries(
      row.actions.map((action) => {
        const rule = rules[`${row.id}.${action}`]
        return [action, rule ? JSON.stringify(rule, null, 2) : '']
      }),
    ),
    validate: Object.fromEntries(row.actions.map((action) => [action, (text: string) => (parsed(text) === undefined ? t('rules.invalid') : null)])),
  })
  return (
    <Modal opened onClose={onClose} {...keepOpenWithInput(form.isDirty())} size="lg" title={t('rules.of', { name: row.label })} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form onSubmit={form.onSubmit((values) => onApply(Object.fromEntries(Object.entries(values).map(([action, text]) => [`${row.id}.${action}`, parsed(text) ?? null]))))}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">{t('rules.hint')}</Text>
          {row.actions.map((action) => (
            <JsonInput key={action} label={action} validationError={t('rules.invalid')} placeholder='{ "author": { "email": "$user.email" } }' autosize minRows={2} disabled={readOnly} {...form.getInputProps(action)} />
          ))}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" disabled={readOnly}>{t('rules.apply')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** The filters of a rule; null for no rule, undefined for what is no object. */
function parsed(text: string): Granted['rule'] | undefined {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function rulesOf(permissions: RolePermissions): Rules {
  const found: Rules = {}
  for (const [api, { controllers }] of Object.entries(permissions))
    for (const [controller, actions] of Object.entries(controllers))
      for (const [action, { rule }] of Object.entries(actions)) if (rule) found[`${api}.${controller}.${action}`] = rule
  return found
}

/** The permissions as they are sent: whatever is left out would be granted no longer. */
function withGrants(permissions: RolePermissions, granted: ReadonlySet<string>, rules: Rules): RolePermissions {
  const entries = <From, To>(value: Record<string, From>, change: (inner: From, name: string) => To) =>
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner, name)]))
  return entries(permissions, ({ controllers }, api) => ({
    controllers: entries(controllers, (actions, controller) =>
      entries(actions, (old, action) => {
        const uid = `${api}.${controller}.${action}`
        return { enabled: granted.has(uid), policy: old.policy ?? '', ...(uid in rules && granted.has(uid) ? { rule: rules[uid] } : {}) }
      }),
    ),
  }))
}
