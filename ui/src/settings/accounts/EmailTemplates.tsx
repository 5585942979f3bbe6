import { Button, Code, SimpleGrid, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { useAbility, useMe } from '../../api/hooks'
import { FormError } from '../../auth/AuthPage'
import { ErrorState, Loading } from '../../components/States'
import { toast } from '../../components/toast'
import { SaveButton, Section, SettingsPage } from '../components'
import { settingsKey } from '../queries'

type Template = {
  display: string
  icon: string
  options: { from: { name: string; email: string }; response_email: string; object: string; message: string }
}
type Templates = Record<'reset_password' | 'email_confirmation', Template>

const KEY = settingsKey('email-templates')
const NAMES = ['reset_password', 'email_confirmation'] as const
const PLACES = { reset_password: ['URL', 'TOKEN', 'USER.username', 'USER.email', 'SERVER_URL'], email_confirmation: ['URL', 'CODE', 'USER.username', 'USER.email', 'SERVER_URL'] }

/** The mails to end users, with a preview of each. */
export function EmailTemplates() {
  const { t } = useTranslation()
  const templates = useQuery({ queryKey: KEY, queryFn: async () => (await request('GET /users-permissions/email-templates')) as Templates })
  if (templates.data) return <TemplatesForm templates={templates.data} />
  return (
    <SettingsPage title={t('settings.emails')}>
      {templates.error ? <ErrorState error={templates.error} retry={() => void templates.refetch()} /> : <Loading />}
    </SettingsPage>
  )
}

function TemplatesForm({ templates }: { templates: Templates }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const mayChange = useAbility().can('plugin::users-permissions.email-templates.update')
  const form = useForm({ initialValues: templates })
  const save = useMutation({
    mutationFn: (values: Templates) => request('PUT /users-permissions/email-templates', { body: { 'email-templates': values } }),
    onSuccess: (_, sent) => {
      // What was typed meanwhile is not saved.
      form.resetDirty(sent)
      void queries.invalidateQueries({ queryKey: KEY })
      toast(t('settings.saved'))
    },
  })
  return (
    <SettingsPage
      title={t('settings.emails')}
      hint={t('emails.hint')}
      actions={
        <SaveButton
          isDirty={form.isDirty()}
          isSaving={save.isPending}
          disabledReason={mayChange ? undefined : t('settings.readOnly')}
          onSave={() => save.mutate(form.values)}
        />
      }
    >
      <FormError error={save.error} />
      <Tabs defaultValue="reset_password" keepMounted={false}>
        <Tabs.List mb="md">
          {NAMES.map((name) => <Tabs.Tab key={name} value={name}>{t(`emails.${name}`)}</Tabs.Tab>)}
        </Tabs.List>
        {NAMES.map((name) => (
          <Tabs.Panel key={name} value={name}>
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <Section title={t('emails.text')}>
                <Stack gap="sm">
                  <SimpleGrid cols={{ base: 1, xs: 2 }}>
                    <TextInput label={t('emails.fromName')} disabled={!mayChange} {...form.getInputProps(`${name}.options.from.name`)} />
                    <TextInput label={t('emails.from')} disabled={!mayChange} {...form.getInputProps(`${name}.options.from.email`)} />
                  </SimpleGrid>
                  <TextInput label={t('emails.replyTo')} disabled={!mayChange} {...form.getInputProps(`${name}.options.response_email`)} />
                  <TextInput label={t('emails.subject')} disabled={!mayChange} {...form.getInputProps(`${name}.options.object`)} />
                  <Textarea
                    label={t('emails.message')}
                    description={<>{t('emails.places')} {PLACES[name].map((place) => <Code key={place} fz="xs" mr={4} style={{ whiteSpace: 'nowrap' }}>{`<%= ${place} %>`}</Code>)}</>}
                    autosize
                    minRows={8}
                    disabled={!mayChange}
                    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
                    {...form.getInputProps(`${name}.options.message`)}
                  />
                </Stack>
              </Section>
              <Preview options={form.values[name].options} mayChange={mayChange} />
            </SimpleGrid>
          </Tabs.Panel>
        ))}
      </Tabs>
    </SettingsPage>
  )
}

/** The mail as it would arrive, with examples for what is filled in. */
function Preview({ options, mayChange }: { options: Template['options']; mayChange: boolean }) {
  const { t } = useTranslation()
  const me = useMe()
  const test = useMutation({
    mutationFn: () => request('POST /admin/x/mail-test', { body: { template: { options } } }),
    onSuccess: ({ data }) => toast(t('emails.testSent', { email: data.to })),
  })
  const examples: Record<string, string> = {
    URL: 'https://www.example.org/page',
    SERVER_URL: location.origin,
    ADMIN_URL: `${location.origin}/admin`,
    TOKEN: 'f3a9…',
    CODE: 'f3a9…',
    'USER.username': 'ada',
    'USER.email': me.email ?? '',
  }
  const filled = (text: string) => text.replace(/<%=\s*([\w.]+)\s*%>/g, (whole, place: string) => examples[place] ?? whole)
  return (
    <Section title={t('emails.preview')}>
      <Text size="sm" c="dimmed">{t('emails.from')}: {[options.from.name, `<${options.from.email}>`].filter(Boolean).join(' ')}</Text>
      <Text size="sm" fw={600} mb="sm">{filled(options.object)}</Text>
      {/* Nothing of a mail runs here: without permissions a sandbox has no scripts and no forms. */}
      <iframe
        title={t('emails.preview')}
        sandbox=""
        srcDoc={`<meta name="color-scheme" content="light"><body style="font:14px sans-serif;background:#fff;color:#111">${filled(options.message)}</body>`}
        style={{ width: '100%', height: 280, border: '1px solid var(--quire-hairline)', borderRadius: 6, background: '#fff' }}
      />
      {mayChange && (
        <Stack gap="xs" mt="sm" align="flex-start">
          <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>{t('emails.test')}</Button>
          <Text size="xs" c="dimmed">{t('emails.testHint', { email: me.email ?? '' })}</Text>
          <FormError error={test.error} />
        </Stack>
      )}
    </Section>
  )
}
