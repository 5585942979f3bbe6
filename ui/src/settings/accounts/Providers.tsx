import { Badge, Button, Group, Input, Modal, PasswordInput, Stack, Switch, Table, TagsInput, TextInput, VisuallyHidden } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { useAbility } from '../../api/hooks'
import { FormError } from '../../auth/AuthPage'
import { keepOpenWithInput } from '../../components/dialogs'
import { ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { confirmFirst } from '../../components/confirm'
import { CopyableText, SettingsPage } from '../components'
import { settingsKey } from '../queries'

type Provider = {
  enabled: boolean
  icon?: string
  key?: string
  secret?: string
  callback?: string
  callbackUrl?: string
  scope?: string[]
  subdomain?: string
  issuer?: string
  redirectUri?: string
}
type Providers = Record<string, Provider>

const KEY = settingsKey('providers')
const NAMES: Record<string, string> = { github: 'GitHub', linkedin: 'LinkedIn', vk: 'VK', cas: 'CAS', auth0: 'Auth0' }

/** How end users can sign in: with a password, or through another service. */
export function SignInProviders() {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const mayChange = useAbility().can('plugin::users-permissions.providers.update')
  const [edited, setEdited] = useState<string | null>(null)
  const providers = useQuery({ queryKey: KEY, queryFn: async () => (await request('GET /users-permissions/providers')) as Providers })
  const save = useMutation({
    mutationFn: (changed: Providers) => request('PUT /users-permissions/providers', { body: { providers: withoutAddresses(changed) } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: KEY })
      setEdited(null)
      toast(t('settings.saved'))
    },
    onError: (error) => edited === null && toastError(error),
  })
  const all = Object.entries(providers.data ?? {})
  const nameOf = (id: string) => (id === 'email' ? t('providers.password') : (NAMES[id] ?? id.charAt(0).toUpperCase() + id.slice(1)))
  return (
    <SettingsPage
      title={t('settings.providers')}
      hint={t('providers.hint')}
      actions={mayChange && <Button leftSection={<Plus size={14} />} onClick={() => setEdited('')}>{t('providers.add')}</Button>}
    >
      {providers.error && <ErrorState error={providers.error} retry={() => void providers.refetch()} />}
      {providers.isPending && <Loading />}
      {all.length > 0 && (
        <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('settings.providers')}>
          <Table className="quire-table" verticalSpacing={8} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('settings.name')}</Table.Th>
                <Table.Th visibleFrom="xs">{t('providers.client')}</Table.Th>
                <Table.Th>{t('providers.state')}</Table.Th>
                <Table.Th w={120}><VisuallyHidden>{t('list.rowActions')}</VisuallyHidden></Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {all.map(([id, provider]) => (
                <Table.Tr key={id}>
                  <Table.Td fw={500}>{nameOf(id)}</Table.Td>
                  <Table.Td visibleFrom="xs" className="quire-ellipsis quire-value" title={provider.key}>{provider.key || '–'}</Table.Td>
                  <Table.Td>
                    <Badge size="sm" variant="light" tt="none" color={provider.enabled ? 'green' : 'gray'}>
                      {provider.enabled ? t('factor.on') : t('factor.off')}
                    </Badge>
                  </Table.Td>
                  <Table.Td ta="right">
                    <Button className="quire-row-actions" variant="subtle" size="compact-xs" aria-label={t('settings.editNamed', { name: nameOf(id) })} onClick={() => setEdited(id)}>
                      {mayChange ? t('action.edit') : t('action.view')}
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {edited !== null && providers.data && (
        <ProviderDialog
          id={edited}
          title={edited === '' ? t('providers.add') : nameOf(edited)}
          provider={providers.data[edited] ?? { enabled: true, key: '', secret: '', callback: '', issuer: '', icon: 'key', scope: ['openid', 'email'] }}
          taken={Object.keys(providers.data)}
          address={all.find(([id]) => id !== 'email')?.[1].redirectUri ?? ''}
          mayChange={mayChange}
          isSaving={save.isPending}
          error={save.error}
          onClose={() => {
            save.reset()
            setEdited(null)
          }}
          onSave={(id, provider) => save.mutate({ ...providers.data, [id]: provider })}
          onRemove={(id) => save.mutate(Object.fromEntries(all.filter(([one]) => one !== id)))}
        />
      )}
    </SettingsPage>
  )
}

function withoutAddresses(providers: Providers): Providers {
  return Object.fromEntries(
    Object.entries(providers).map(([id, provider]) => {
      const stored = { ...provider }
      delete stored.redirectUri
      return [id, stored]
    }),
  )
}

function ProviderDialog({ id, title, provider, taken, address, mayChange, isSaving, error, onClose, onSave, onRemove }: {
  id: string
  title: string
  provider: Provider
  taken: string[]
  /** The redirect address of any provider: that of a new one differs by its name. */
  address: string
  mayChange: boolean
  isSaving: boolean
  error: unknown
  onClose: () => void
  onSave: (id: string, provider: Provider) => void
  onRemove: (id: string) => void
}) {
  const { t } = useTranslation()
  const isOpenId = provider.issuer !== undefined
  const page = 'callback' in provider ? 'callback' : 'callbackUrl'
  const form = useForm({
    initialValues: {
      id,
      enabled: provider.enabled,
      key: provider.key ?? '',
      secret: provider.secret ?? '',
      page: provider[page] ?? '',
      scope: provider.scope ?? [],
      subdomain: provider.subdomain ?? '',
      issuer: provider.issuer ?? '',
    },
    validate: {
      id: (value) => (id !== '' ? null : !/^[a-z][a-z0-9_-]*$/.test(value) ? t('providers.idInvalid') : taken.includes(value) ? t('providers.idTaken') : null),
      key: (value, values) => (values.enabled && id !== 'email' && !value.trim() ? t('form.required') : null),
      issuer: (value) => (isOpenId && !/^https?:\/\//.test(value) ? t('providers.issuerInvalid') : null),
    },
  })
  const path = address.replace(/connect\/[^/]+\//, `connect/${form.values.id || '…'}/`)
  const redirect = path.startsWith('/') ? location.origin + path : path
  const submit = form.onSubmit((values) =>
    onSave(values.id, {
      ...provider,
      enabled: values.enabled,
      ...(id === 'email' ? {} : { key: values.key, secret: values.secret, [page]: values.page }),
      ...(provider.scope ? { scope: values.scope } : {}),
      ...(provider.subdomain !== undefined ? { subdomain: values.subdomain } : {}),
      ...(isOpenId ? { issuer: values.issuer } : {}),
    }),
  )
  return (
    <Modal opened onClose={onClose} {...keepOpenWithInput(form.isDirty())} size="lg" title={title} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {id === '' && <TextInput label={t('providers.id')} description={t('providers.idHint')} data-autofocus {...form.getInputProps('id')} />}
          <Switch size="sm" label={t('providers.enabled')} disabled={!mayChange} {...form.getInputProps('enabled', { type: 'checkbox' })} />
          {id !== 'email' && (
            <>
              <Input.Wrapper label={t('providers.redirect')} description={t('providers.redirectHint')} labelElement="div">
                <CopyableText label={t('providers.redirect')} value={redirect} />
              </Input.Wrapper>
              {isOpenId && <TextInput label={t('providers.issuer')} placeholder="https://login.example.org" disabled={!mayChange} {...form.getInputProps('issuer')} />}
              <TextInput label={t('providers.key')} disabled={!mayChange} {...form.getInputProps('key')} />
              <PasswordInput label={t('providers.secret')} autoComplete="off" disabled={!mayChange} visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }} {...form.getInputProps('secret')} />
              <TextInput label={t('providers.page')} description={t('providers.pageHint')} placeholder="https://www.example.org/signed-in" disabled={!mayChange} {...form.getInputProps('page')} />
              {provider.subdomain !== undefined && <TextInput label={t('providers.subdomain')} disabled={!mayChange} {...form.getInputProps('subdomain')} />}
              {provider.scope && <TagsInput label={t('providers.scope')} disabled={!mayChange} {...form.getInputProps('scope')} />}
            </>
          )}
          <FormError error={error} />
          <Group justify="space-between">
            {isOpenId && id !== '' && mayChange ? (
              <Button variant="light" color="red" onClick={() => confirmFirst({ title: t('delete.title', { title }), hint: t('providers.deleteHint'), onConfirm: () => onRemove(id) })}>
                {t('action.delete')}
              </Button>
            ) : <span />}
            {mayChange && <Button type="submit" loading={isSaving}>{t('action.save')}</Button>}
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
