import { Alert, Code, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ApiError, request } from '../api/client'
import { useAbility, useModel } from '../api/hooks'
import { FormError } from '../auth/AuthPage'
import { ErrorState, Loading } from '../components/States'
import { toast } from '../components/toast'
import { canFrame, PLACEHOLDERS, previewsQuery, type Previews } from '../content/preview/previewUrl'
import { SaveButton, Section, SettingsPage } from './components'

type Values = { rows: { uid: string; url: string }[] }

/** Where a site shows the entries of each content type. */
export function PreviewSettings() {
  const { t } = useTranslation()
  const previews = useQuery(previewsQuery)
  if (previews.data) return <PreviewForm stored={previews.data} />
  return (
    <SettingsPage title={t('settings.previews')}>
      {previews.error ? <ErrorState error={previews.error} retry={() => void previews.refetch()} /> : <Loading />}
    </SettingsPage>
  )
}

function PreviewForm({ stored }: { stored: Previews }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const mayChange = useAbility().can('admin::project-settings.update')
  const types = useModel().displayed.filter(({ uid }) => uid.startsWith('api::'))
  const form = useForm<Values>({ initialValues: { rows: types.map(({ uid }) => ({ uid, url: stored.previews[uid] ?? '' })) } })
  const save = useMutation({
    mutationFn: async ({ rows }: Values) =>
      (await request('PUT /admin/x/previews', { body: { previews: Object.fromEntries(rows.map(({ uid, url }) => [uid, url.trim()])) } })).data as Previews,
    onSuccess: (kept, sent) => {
      // What was typed meanwhile is not saved.
      form.resetDirty(sent)
      queries.setQueryData(previewsQuery.queryKey, kept)
      toast(t('settings.saved'))
    },
    onError: (error) => {
      const problems = error instanceof ApiError ? (error.details?.errors as { path: string[]; message: string }[] | undefined) : undefined
      for (const { path, message } of problems ?? []) {
        const index = form.values.rows.findIndex(({ uid }) => uid === path[1])
        // The message begins with the path of the value in the request.
        if (index >= 0) form.setFieldError(`rows.${index}.url`, message.replace(/^\S+ /, ''))
      }
    },
  })
  const outside = form.values.rows.map(({ url }) => originOf(url)).filter((origin) => origin !== null && !canFrame(origin, stored.frameSources))
  return (
    <SettingsPage
      title={t('settings.previews')}
      hint={t('previews.hint')}
      actions={<SaveButton isDirty={form.isDirty()} isSaving={save.isPending} disabledReason={mayChange ? undefined : t('save.noPermission')} onSave={() => save.mutate(form.values)} />}
    >
      {!form.errors.rows && Object.keys(form.errors).length === 0 && <FormError error={save.error} />}
      <Section
        title={t('previews.urls')}
        hint={<>{t('previews.placeholders')} {PLACEHOLDERS.map((name) => <Code key={name} mr={4}>{`{${name}}`}</Code>)}</>}
      >
        <Stack gap="sm">
          {types.map((type, index) => (
            <TextInput
              key={type.uid}
              label={type.info.displayName}
              placeholder="https://example.org/{locale}/{slug}?status={status}"
              readOnly={!mayChange}
              spellCheck={false}
              {...form.getInputProps(`rows.${index}.url`)}
            />
          ))}
        </Stack>
      </Section>
      {outside.length > 0 && (
        <Alert color="gray" p="sm" title={t('previews.frames')}>
          <Text size="sm" c="inherit">{t('previews.framesHint')}</Text>
          <Code block mt={6} fz="xs" tabIndex={0}>{`[security.content_security_policy]\nframe-src = [${[...new Set(["'self'", ...stored.frameSources, ...outside])].map((one) => `"${one}"`).join(', ')}]`}</Code>
        </Alert>
      )}
    </SettingsPage>
  )
}

/** The origin of an absolute URL that is complete. */
function originOf(pattern: string): string | null {
  if (!/^https?:\/\/[^/{}\s]+/.test(pattern)) return null
  try {
    return new URL(pattern).origin
  } catch {
    return null
  }
}
