import { Alert, Anchor, Badge, Button, Group, Menu, Modal, Select, Stack, Switch, Table, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil, Plus, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { isLocalized, localesQuery, useAbility, useLocales, useModel } from '../../api/hooks'
import { keys } from '../../api/keys'
import type { Locale } from '../../api/types'
import { FormError } from '../../auth/AuthPage'
import { toast, toastError } from '../../components/toast'
import { SettingsPage } from '../components'
import { Coverage } from './Coverage'
import { isoLocalesQuery, settingsKey } from '../queries'
import { RowMenu, SettingsTable } from '../SettingsTable'

/** The languages that content is written in. */
export function Locales() {
  const { t } = useTranslation()
  const ability = useAbility()
  const queries = useQueryClient()
  const locales = useLocales()
  const [edited, setEdited] = useState<Locale | 'new' | null>(null)
  const [deleted, setDeleted] = useState<Locale | null>(null)
  /** The name of a locale that was added on this visit: roles do not have it yet. */
  const [added, setAdded] = useState<string | null>(null)
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: localesQuery.queryKey })
    void queries.invalidateQueries({ queryKey: settingsKey('permissions') })
    void queries.invalidateQueries({ queryKey: settingsKey('locale-coverage') })
    void queries.invalidateQueries({ queryKey: keys.permissions })
  }
  const makeDefault = useMutation({
    mutationFn: (locale: Locale) => request('PUT /i18n/locales/{id}', { path: { id: locale.id }, body: { name: locale.name, isDefault: true } }),
    onSuccess: async () => {
      await refresh()
      toast(t('settings.saved'))
    },
    onError: (error) => toastError(error),
  })
  const mayChange = ability.can('plugin::i18n.locale.update')
  const mayDelete = ability.can('plugin::i18n.locale.delete')
  return (
    <SettingsPage
      title={t('settings.locales')}
      hint={t('locales.hint')}
      actions={ability.can('plugin::i18n.locale.create') && <Button leftSection={<Plus size={14} />} onClick={() => setEdited('new')}>{t('locales.add')}</Button>}
    >
      {added && (
        <Alert variant="light" color="blue" role="status" title={t('locales.notInRoles', { name: added })} withCloseButton closeButtonLabel={t('action.close')} onClose={() => setAdded(null)}>
          <Text size="sm" c="inherit">
            {t('locales.notInRolesHint')} {ability.can('admin::roles.read') && <Anchor component={Link} to="/settings/roles" inherit underline="always">{t('settings.roles')}</Anchor>}
          </Text>
        </Alert>
      )}
      <SettingsTable label={t('settings.locales')} columns={[t('settings.name'), t('locales.code'), <VisuallyHidden key="hidden">{t('locales.default')}</VisuallyHidden>]}>
        {locales.map((locale) => (
          <Table.Tr key={locale.id}>
            <Table.Td fw={500}>{locale.name}</Table.Td>
            <Table.Td>{locale.code}</Table.Td>
            <Table.Td>{locale.isDefault && <Badge size="sm" variant="light" tt="none">{t('locales.default')}</Badge>}</Table.Td>
            <Table.Td>
              {(mayChange || mayDelete) && (
                <RowMenu title={locale.name}>
                  {mayChange && <Menu.Item leftSection={<Pencil size={14} />} onClick={() => setEdited(locale)}>{t('locales.rename')}</Menu.Item>}
                  {mayChange && !locale.isDefault && <Menu.Item leftSection={<Star size={14} />} onClick={() => makeDefault.mutate(locale)}>{t('locales.makeDefault')}</Menu.Item>}
                  {mayDelete && (
                    <Menu.Item color="red" leftSection={<Trash2 size={14} />} disabled={locale.isDefault} title={locale.isDefault ? t('locales.defaultStays') : undefined} onClick={() => setDeleted(locale)}>
                      {t('action.delete')}
                    </Menu.Item>
                  )}
                </RowMenu>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </SettingsTable>
      <Coverage />
      {edited && <LocaleDialog locale={edited === 'new' ? null : edited} taken={locales.map((one) => one.code)} onAdded={setAdded} onDone={refresh} onClose={() => setEdited(null)} />}
      {deleted && <DeleteDialog locale={deleted} onDone={() => { setAdded(null); return refresh() }} onClose={() => setDeleted(null)} />}
    </SettingsPage>
  )
}

type LocaleDialogProps = { locale: Locale | null; taken: string[]; onAdded: (name: string) => void; onDone: () => Promise<void>; onClose: () => void }

function LocaleDialog({ locale, taken, onAdded, onDone, onClose }: LocaleDialogProps) {
  const { t } = useTranslation()
  const known = useQuery({ ...isoLocalesQuery, enabled: locale === null })
  const form = useForm({
    initialValues: { code: locale?.code ?? '', name: locale?.name ?? '', isDefault: false },
    validate: {
      code: (value) => (value ? null : t('form.required')),
      name: (value) => (value.trim() ? null : t('form.required')),
    },
  })
  const save = useMutation({
    mutationFn: async (values: typeof form.values) => {
      if (locale) await request('PUT /i18n/locales/{id}', { path: { id: locale.id }, body: { name: values.name } })
      else await request('POST /i18n/locales', { body: values })
      await onDone()
    },
    onSuccess: (_, { name }) => {
      if (!locale) onAdded(name)
      toast(t('settings.saved'))
      onClose()
    },
  })
  return (
    <Modal opened onClose={onClose} title={locale ? t('locales.rename') : t('locales.add')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <Stack gap="sm">
          {!locale && (
            <Select
              label={t('entry.locale')}
              searchable
              limit={50}
              data-autofocus
              nothingFoundMessage={t('palette.nothing')}
              data={(known.data ?? []).filter((one) => !taken.includes(one.code)).map((one) => ({ value: one.code, label: one.name }))}
              value={form.values.code || null}
              error={form.errors.code}
              onChange={(code) => form.setValues({ code: code ?? '', name: known.data?.find((one) => one.code === code)?.name ?? '' })}
            />
          )}
          <TextInput label={t('locales.displayName')} maxLength={50} {...form.getInputProps('name')} />
          {!locale && <Switch size="sm" label={t('locales.makeDefault')} {...form.getInputProps('isDefault', { type: 'checkbox' })} />}
          <FormError error={save.error ?? known.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" loading={save.isPending}>{t('action.save')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Say how many entries go with a locale before it is deleted. */
function DeleteDialog({ locale, onDone, onClose }: { locale: Locale; onDone: () => Promise<void>; onClose: () => void }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const queries = useQueryClient()
  const { displayed } = useModel()
  const types = displayed.filter((type) => isLocalized(type) && type.kind === 'collectionType' && ability.canContent('read', type.uid, locale.code))
  const counts = useQueries({
    queries: types.map((type) => ({
      queryKey: settingsKey('locale-count', locale.code, type.uid),
      queryFn: async () => {
        const page = await request('GET /content-manager/collection-types/{uid}', {
          path: { uid: type.uid },
          query: { locale: locale.code, page: 1, pageSize: 1, columns: 'id' },
        })
        return page.pagination.total
      },
    })),
  })
  const isCounted = counts.every((one) => !one.isPending)
  const total = counts.reduce((sum, one) => sum + (one.data ?? 0), 0)
  const form = useForm({ initialValues: { code: '' } })
  const remove = useMutation({
    mutationFn: async () => {
      await request('DELETE /i18n/locales/{id}', { path: { id: locale.id } })
      await onDone()
      void queries.invalidateQueries({ queryKey: ['content'] })
    },
    onSuccess: () => {
      toast(t('locales.deleted'))
      onClose()
    },
  })
  return (
    <Modal opened onClose={onClose} title={t('delete.title', { title: locale.name })} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form onSubmit={form.onSubmit(() => remove.mutate())}>
        <Stack gap="sm">
          <Alert color="red" variant="light" role="status">
            <Text size="sm" c="inherit">{isCounted ? t('locales.lost', { count: total }) : t('state.loading')}</Text>
          </Alert>
          <TextInput label={t('locales.typeCode', { code: locale.code })} autoComplete="off" data-autofocus {...form.getInputProps('code')} />
          <FormError error={remove.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" color="red" loading={remove.isPending} disabled={!isCounted || form.values.code !== locale.code}>{t('action.delete')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
