import {
  Alert, Badge, Button, Code, CopyButton, Group, Modal, Paper, PasswordInput, Select, SimpleGrid, Stack, Text, TextInput, Title,
  useMantineColorScheme,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDocumentTitle } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, request } from '../api/client'
import { useMe } from '../api/hooks'
import { keys } from '../api/keys'
import { FormError } from '../auth/AuthPage'
import { passwordProblem } from '../auth/passwords'
import { keepOpenWithInput } from '../components/dialogs'
import { RelativeTime } from '../components/RelativeTime'
import { ErrorState, Loading } from '../components/States'
import { toast, toastError } from '../components/toast'
import { applyLanguage, i18next, isLanguage, languages } from '../i18n'

export function Profile() {
  const { t } = useTranslation()
  useDocumentTitle(`${t('nav.profile')} · Quire`)
  return (
    <Stack p={{ base: 'sm', sm: 'lg' }} gap="md" maw={760}>
      <Title order={1}>{t('nav.profile')}</Title>
      <PersonCard />
      <LanguageCard />
      <SchemeCard />
      <PasswordCard />
      <SecondFactorCard />
      <SessionsCard />
    </Stack>
  )
}

function Card({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" className="quire-surface" component="section" aria-label={title}>
      <Title order={2} mb={hint ? 2 : 'sm'}>{title}</Title>
      {hint && <Text size="sm" c="dimmed" mb="sm">{hint}</Text>}
      {children}
    </Paper>
  )
}

function PersonCard() {
  const { t } = useTranslation()
  const me = useMe()
  const queries = useQueryClient()
  const form = useForm({
    initialValues: { firstname: me.firstname ?? '', lastname: me.lastname ?? '', email: me.email ?? '' },
    validate: {
      firstname: (value) => (value.trim() ? null : t('form.required')),
      email: (value) => (/.+@.+/.test(value) ? null : t('auth.emailInvalid')),
    },
  })
  const save = useMutation({
    mutationFn: (values: typeof form.values) =>
      request('PUT /admin/users/me', { body: { ...values, lastname: values.lastname || null } as never }),
    onSuccess: (_, values) => {
      form.resetDirty(values)
      void queries.invalidateQueries({ queryKey: keys.me })
      toast(t('profile.saved'))
    },
  })
  return (
    <Card title={t('profile.person')}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label={t('auth.firstname')} withAsterisk {...form.getInputProps('firstname')} />
            <TextInput label={t('auth.lastname')} {...form.getInputProps('lastname')} />
          </SimpleGrid>
          <TextInput label={t('auth.email')} type="email" withAsterisk {...form.getInputProps('email')} />
          <FormError error={save.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>{t('action.save')}</Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function LanguageCard() {
  const { t } = useTranslation()
  const me = useMe()
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: (preferedLanguage: string | null) => request('PUT /admin/users/me', { body: { preferedLanguage } }),
    onSuccess: async ({ data }) => {
      await applyLanguage(data.preferedLanguage)
      await queries.invalidateQueries({ queryKey: keys.me })
      toast(i18next.t('profile.saved'))
    },
    onError: (error) => toastError(error),
  })
  return (
    <Card title={t('profile.language')} hint={t('profile.languageHint')}>
      <Select
        w={240}
        aria-label={t('profile.language')}
        allowDeselect={false}
        disabled={save.isPending}
        value={isLanguage(me.preferedLanguage) ? me.preferedLanguage : ''}
        onChange={(value) => save.mutate(value || null)}
        data={[
          { value: '', label: t('profile.languageBrowser') },
          ...Object.entries(languages).map(([value, label]) => ({ value, label })),
        ]}
      />
    </Card>
  )
}

function SchemeCard() {
  const { t } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Card title={t('scheme.title')} hint={t('profile.schemeHint')}>
      <Select
        w={240}
        aria-label={t('scheme.title')}
        allowDeselect={false}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as 'auto' | 'light' | 'dark')}
        data={[
          { value: 'auto', label: t('scheme.auto') },
          { value: 'light', label: t('scheme.light') },
          { value: 'dark', label: t('scheme.dark') },
        ]}
      />
    </Card>
  )
}

function PasswordCard() {
  const { t } = useTranslation()
  const me = useMe()
  const form = useForm({
    initialValues: { currentPassword: '', password: '', again: '' },
    validate: {
      currentPassword: (value) => (value ? null : t('form.required')),
      password: passwordProblem,
      again: (value, values) => (value === values.password ? null : t('auth.passwordsDiffer')),
    },
  })
  const save = useMutation({
    mutationFn: async (values: typeof form.values) => {
      await request('PUT /admin/users/me', {
        body: { currentPassword: values.currentPassword, password: values.password } as never,
      })
      return values
    },
    onSuccess: () => {
      form.reset()
      toast(t('profile.passwordSaved'))
    },
    onError: (error) => {
      if (error instanceof ApiError && error.details && 'currentPassword' in error.details) {
        form.setFieldError('currentPassword', t('profile.wrongPassword'))
      }
    },
  })
  const toggle = { 'aria-label': t('auth.showPassword') }
  const shownAtField = Boolean(form.errors.currentPassword)
  return (
    <Card title={t('auth.password')} hint={t('profile.passwordHint')}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <input type="hidden" autoComplete="username" value={me.email ?? ''} readOnly />
        <Stack gap="sm">
          <PasswordInput label={t('profile.currentPassword')} autoComplete="current-password" visibilityToggleButtonProps={toggle} {...form.getInputProps('currentPassword')} />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <PasswordInput label={t('auth.newPassword')} autoComplete="new-password" visibilityToggleButtonProps={toggle} {...form.getInputProps('password')} />
            <PasswordInput label={t('auth.passwordAgain')} autoComplete="new-password" visibilityToggleButtonProps={toggle} {...form.getInputProps('again')} />
          </SimpleGrid>
          {!shownAtField && <FormError error={save.error} />}
          <Group justify="flex-end">
            <Button type="submit" variant="default" loading={save.isPending}>{t('profile.changePassword')}</Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

type Factor = { active?: boolean; recoveryCodes?: number }

function SecondFactorCard() {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [open, setOpen] = useState<'begin' | 'remove' | 'codes' | null>(null)
  const factor = useQuery({
    queryKey: keys.secondFactor,
    queryFn: async () => (await request('GET /admin/x/second-factor')).data as Factor,
  })
  const done = () => {
    setOpen(null)
    void queries.invalidateQueries({ queryKey: keys.secondFactor })
  }
  return (
    <Card title={t('factor.title')} hint={t('factor.hint')}>
      {factor.error && <ErrorState error={factor.error} retry={() => void factor.refetch()} />}
      {factor.data && (
        <Group justify="space-between">
          <Group gap="xs">
            <Badge variant="light" tt="none" color={factor.data.active ? 'green' : 'gray'}>
              {factor.data.active ? t('factor.on') : t('factor.off')}
            </Badge>
            {factor.data.active && <Text size="sm" c="dimmed">{t('factor.codesLeft', { count: factor.data.recoveryCodes ?? 0 })}</Text>}
          </Group>
          {factor.data.active ? (
            <Group gap="xs">
              <Button variant="default" onClick={() => setOpen('codes')}>{t('factor.newCodes')}</Button>
              <Button variant="light" color="red" onClick={() => setOpen('remove')}>{t('factor.remove')}</Button>
            </Group>
          ) : (
            <Button variant="default" onClick={() => setOpen('begin')}>{t('factor.begin')}</Button>
          )}
        </Group>
      )}
      {open === 'begin' && <BeginFactor onClose={done} />}
      {open === 'remove' && <RemoveFactor onClose={done} />}
      {open === 'codes' && <NewCodes onClose={done} />}
    </Card>
  )
}

function CodeList({ codes }: { codes: string[] }) {
  const { t } = useTranslation()
  return (
    <Stack gap="xs">
      <Alert variant="light" color="yellow" role="status">{t('factor.keepCodes')}</Alert>
      <Code block fz="sm" tabIndex={0}>{codes.join('\n')}</Code>
      <CopyButton value={codes.join('\n')}>
        {({ copied, copy }) => <Button variant="default" onClick={copy}>{copied ? t('action.copied') : t('action.copy')}</Button>}
      </CopyButton>
    </Stack>
  )
}

function BeginFactor({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const [secret, setSecret] = useState<{ secret: string; uri: string } | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const form = useForm({ initialValues: { password: '', code: '' } })
  const step = useMutation({
    mutationFn: async () => {
      if (!secret) setSecret((await request('POST /admin/x/second-factor', { body: { password: form.values.password } })).data)
      else {
        const { data } = await request('POST /admin/x/second-factor/confirm', { body: { code: form.values.code.trim() } })
        setCodes(data.recoveryCodes ?? [])
      }
    },
  })
  return (
    <Modal opened onClose={onClose} {...keepOpenWithInput(secret !== null)} title={t('factor.begin')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      {codes ? (
        <Stack>
          <CodeList codes={codes} />
          <Button onClick={onClose}>{t('action.done')}</Button>
        </Stack>
      ) : (
        <form onSubmit={form.onSubmit(() => step.mutate())}>
          <Stack gap="sm">
            {!secret && (
              <PasswordInput label={t('profile.currentPassword')} autoComplete="current-password" data-autofocus visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }} {...form.getInputProps('password')} />
            )}
            {secret && (
              <>
                <Text size="sm">{t('factor.addToApp')}</Text>
                <Code block fz="sm" tabIndex={0} style={{ wordBreak: 'break-all', whiteSpace: 'pre-wrap' }}>{secret.secret}</Code>
                <Group gap="xs">
                  <CopyButton value={secret.secret}>
                    {({ copied, copy }) => <Button variant="default" onClick={copy}>{copied ? t('action.copied') : t('action.copy')}</Button>}
                  </CopyButton>
                  <Button variant="default" component="a" href={secret.uri}>{t('factor.openApp')}</Button>
                </Group>
                <TextInput label={t('auth.code')} inputMode="numeric" autoComplete="one-time-code" {...form.getInputProps('code')} />
              </>
            )}
            <FormError error={step.error} />
            <Button type="submit" loading={step.isPending}>{t('action.continue')}</Button>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

function RemoveFactor({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { password: '', code: '' } })
  const remove = useMutation({
    mutationFn: () => request('POST /admin/x/second-factor/remove', { body: { password: form.values.password, code: form.values.code.trim() } }),
    onSuccess: onClose,
  })
  return (
    <Modal opened onClose={onClose} title={t('factor.remove')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form onSubmit={form.onSubmit(() => remove.mutate())}>
        <Stack gap="sm">
          <PasswordInput label={t('profile.currentPassword')} autoComplete="current-password" data-autofocus visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }} {...form.getInputProps('password')} />
          <TextInput label={t('auth.code')} autoComplete="one-time-code" {...form.getInputProps('code')} />
          <FormError error={remove.error} />
          <Button type="submit" color="red" loading={remove.isPending}>{t('factor.remove')}</Button>
        </Stack>
      </form>
    </Modal>
  )
}

function NewCodes({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { code: '' } })
  const renew = useMutation({
    mutationFn: async () =>
      (await request("POST /admin/x/second-factor/recovery-codes", { body: { code: form.values.code.trim() } })).data,
  })
  return (
    <Modal opened onClose={onClose} {...keepOpenWithInput(renew.isSuccess)} title={t('factor.newCodes')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      {renew.data ? (
        <CodeList codes={renew.data.recoveryCodes ?? []} />
      ) : (
        <form onSubmit={form.onSubmit(() => renew.mutate())}>
          <Stack gap="sm">
            <TextInput label={t('auth.code')} inputMode="numeric" autoComplete="one-time-code" data-autofocus {...form.getInputProps('code')} />
            <FormError error={renew.error} />
            <Button type="submit" loading={renew.isPending}>{t('action.continue')}</Button>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

function SessionsCard() {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const sessions = useQuery({
    queryKey: keys.sessions,
    queryFn: async () =>
      (await request('GET /admin/users/me/sessions')).data as {
        id: string
        loginAt: string
        current: boolean
      }[],
  })
  const end = useMutation({
    mutationFn: (id: string) => request('DELETE /admin/users/me/sessions/{id}', { path: { id } }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: keys.sessions }),
    onError: (error) => toastError(error),
  })
  const endAll = useMutation({
    mutationFn: () => request('POST /admin/logout', {}),
    onSuccess: () => location.assign('/admin/login'),
    onError: (error) => toastError(error),
  })
  return (
    <Card title={t('sessions.title')}>
      {!sessions.data && !sessions.error && <Loading rows={2} />}
      {sessions.error && <ErrorState error={sessions.error} />}
      <Stack gap={6}>
        {sessions.data?.map((session) => (
          <Group key={session.id} justify="space-between" mih={30}>
            <Group gap="xs">
              <Text size="sm">{t('sessions.begun')} <RelativeTime at={session.loginAt} /></Text>
              {session.current && <Badge variant="light" color="green" tt="none" size="sm">{t('sessions.current')}</Badge>}
            </Group>
            {!session.current && (
              <Button variant="subtle" size="compact-xs" onClick={() => end.mutate(session.id)}>{t('sessions.end')}</Button>
            )}
          </Group>
        ))}
        <Group justify="flex-end">
          <Button variant="default" loading={endAll.isPending} onClick={() => endAll.mutate()}>{t('sessions.endAll')}</Button>
        </Group>
      </Stack>
    </Card>
  )
}

