import { Alert, Button, Select, SimpleGrid, Tabs, Text, Textarea, TextInput, Tooltip } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Eye } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { AdminPermission, AdminRole } from '../../api/generated'
import { SUPER_ADMIN, useAbility, useModel } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { Permission } from '../../api/permissions'
import { useViewAs } from '../../api/viewAs'
import { FormError } from '../../auth/AuthPage'
import { PermissionMatrix } from '../../components/PermissionMatrix'
import { ErrorState, Loading } from '../../components/States'
import { toast } from '../../components/toast'
import { SaveButton, Section, SettingsPage } from '../components'
import { rolesQuery, settingsKey } from '../queries'
import { Comparison } from './Comparison'
import { ConditionsButton } from './Conditions'
import { conditionsOf, CONTENT_VERBS, grantsOf, isGranted, partsOf, permissionsOf, rowsOf, stateOf, withCell, withConditions, type Catalogue } from './grants'
import { OtherActions } from './OtherActions'

export const rolePermissions = async (id: number | string): Promise<AdminPermission[]> =>
  (await request('GET /admin/roles/{id}/permissions', { path: { id } })).data

/** A role of administrators, with everything that it grants. */
export function Role() {
  const { t } = useTranslation()
  const { id } = useParams({ from: '/shell/settings/roles/$id' })
  const role = useQuery({ queryKey: settingsKey('roles', id), queryFn: async () => (await request('GET /admin/roles/{id}', { path: { id } })).data })
  const permissions = useQuery({ queryKey: settingsKey('roles', id, 'permissions'), queryFn: () => rolePermissions(id) })
  const catalogue = useQuery({
    queryKey: settingsKey('permissions'),
    queryFn: async () => (await request('GET /admin/permissions')).data as unknown as Catalogue,
  })
  if (role.data && permissions.data && catalogue.data) {
    return <RoleForm key={id} role={role.data} permissions={permissions.data} catalogue={catalogue.data} />
  }
  const error = role.error ?? permissions.error ?? catalogue.error
  return (
    <SettingsPage title={t('settings.roles')}>
      {error ? <ErrorState error={error} retry={() => [role, permissions, catalogue].filter((one) => one.error).forEach((one) => void one.refetch())} /> : <Loading />}
    </SettingsPage>
  )
}

function RoleForm({ role, permissions, catalogue }: { role: AdminRole; permissions: AdminPermission[]; catalogue: Catalogue }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const model = useModel()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isSuper = role.code === SUPER_ADMIN
  const readOnly = isSuper || !ability.can('admin::roles.update')
  const { collectionTypes, singleTypes, plugins, settings } = catalogue.sections
  const [parts] = useState(
    () => new Map([collectionTypes, singleTypes].flatMap(({ subjects, actions }) => subjects.map((one) => [one.uid, partsOf(one, actions)] as const))),
  )
  const [grants, setGrants] = useState(() => grantsOf(permissions, parts))
  const [savedGrants, setSavedGrants] = useState(grants)
  const [compared, setCompared] = useState<string | null>(null)
  const roles = useQuery(rolesQuery)
  const form = useForm({
    initialValues: { name: role.name, description: role.description ?? '' },
    validate: { name: (value) => (value.trim() ? null : t('form.required')) },
  })
  const save = useMutation({
    mutationFn: async ({ values, grants: sent }: { values: typeof form.values; grants: typeof grants }) => {
      if (form.isDirty()) await request('PUT /admin/roles/{id}', { path: { id: role.id }, body: values })
      if (sent !== savedGrants) {
        await request('PUT /admin/roles/{id}/permissions', { path: { id: role.id }, body: { permissions: permissionsOf(sent, parts) } })
      }
    },
    onSuccess: (_, sent) => {
      // What was changed meanwhile is not saved.
      form.resetDirty(sent.values)
      setSavedGrants(sent.grants)
      void queries.invalidateQueries({ queryKey: settingsKey('roles') })
      void queries.invalidateQueries({ queryKey: keys.permissions })
      toast(t('settings.saved'))
    },
  })
  const isDirty = form.isDirty() || grants !== savedGrants
  const view = () => {
    useViewAs.setState({ role: { id: role.id, name: role.name, isSuper, permissions: permissions as Permission[] } })
    void navigate({ to: '/' })
  }
  const labelOf = (uid: string) => model.types.get(uid)?.info.displayName ?? uid
  const matrix = (section: typeof collectionTypes, label: string) => (
    <PermissionMatrix
      label={`${t('roles.permissions')}: ${label}`}
      actions={CONTENT_VERBS.map((id) => ({ id, label: t(`roles.action.${id}`) }))}
      rows={rowsOf(section.subjects, parts, labelOf).map((row) => ({
        ...row,
        tools: (
          <ConditionsButton
            name={row.label}
            granted={row.actions
              .filter((verb) => isGranted(grants, row.id, verb))
              .map((verb) => ({ id: verb, label: t(`roles.action.${verb as 'read'}`), conditions: conditionsOf(grants, row.id, verb) }))}
            conditions={catalogue.conditions}
            readOnly={readOnly}
            onChange={(verb, conditions) => setGrants(withConditions(grants, row.id, verb, conditions))}
          />
        ),
      }))}
      state={(row, verb) => stateOf(grants, parts, row, verb)}
      onChange={(cells, on) => setGrants(cells.reduce((all, cell) => withCell(all, parts, cell.row, cell.action, on), grants))}
      readOnly={readOnly}
    />
  )
  return (
    <SettingsPage
      title={role.name}
      back={{ to: '/settings/roles', label: t('settings.roles') }}
      actions={
        <>
          <Select
            size="xs"
            w={200}
            clearable
            clearButtonProps={{ 'aria-label': t('action.clear') }}
            aria-label={t('roles.compare')}
            placeholder={t('roles.compare')}
            value={compared}
            onChange={setCompared}
            data={roles.data?.filter((one) => one.id !== role.id).map((one) => ({ value: String(one.id), label: one.name })) ?? []}
          />
          <Tooltip label={isDirty ? t('roles.viewAsDirty') : t('roles.viewAsHint')}>
            <Button variant="default" leftSection={<Eye size={14} />} data-disabled={isDirty || undefined} aria-disabled={isDirty} onClick={() => !isDirty && view()}>
              {t('roles.viewAs')}
            </Button>
          </Tooltip>
          <SaveButton
            isDirty={isDirty}
            isSaving={save.isPending}
            disabledReason={isSuper ? t('roles.superReadOnly') : readOnly ? t('settings.readOnly') : undefined}
            onSave={() => !form.validate().hasErrors && save.mutate({ values: form.values, grants })}
          />
        </>
      }
    >
      <FormError error={save.error} />
      {isSuper && <Alert variant="light" color="blue"><Text size="sm" c="inherit">{t('roles.superReadOnly')}</Text></Alert>}
      {compared && <Comparison grants={grants} parts={parts} other={compared} catalogue={catalogue} labelOf={labelOf} />}
      <Section title={t('roles.about')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={t('settings.name')} withAsterisk disabled={readOnly} {...form.getInputProps('name')} />
          <Textarea label={t('settings.description')} autosize minRows={1} disabled={readOnly} {...form.getInputProps('description')} />
        </SimpleGrid>
      </Section>
      <Section title={t('roles.permissions')} hint={t('roles.permissionsHint')}>
        <Tabs defaultValue="collections" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="collections">{t('nav.collections')}</Tabs.Tab>
            {singleTypes.subjects.length > 0 && <Tabs.Tab value="singles">{t('nav.singles')}</Tabs.Tab>}
            <Tabs.Tab value="plugins">{t('roles.plugins')}</Tabs.Tab>
            <Tabs.Tab value="settings">{t('settings.title')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="collections">{matrix(collectionTypes, t('nav.collections'))}</Tabs.Panel>
          <Tabs.Panel value="singles">{matrix(singleTypes, t('nav.singles'))}</Tabs.Panel>
          <Tabs.Panel value="plugins"><OtherActions actions={plugins} conditions={catalogue.conditions} grants={grants} readOnly={readOnly} onChange={setGrants} /></Tabs.Panel>
          <Tabs.Panel value="settings"><OtherActions actions={settings} conditions={catalogue.conditions} grants={grants} readOnly={readOnly} onChange={setGrants} /></Tabs.Panel>
        </Tabs>
      </Section>
    </SettingsPage>
  )
}
