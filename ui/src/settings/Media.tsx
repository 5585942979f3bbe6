import { Stack, Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { FormError } from '../auth/AuthPage'
import { ErrorState, Loading } from '../components/States'
import { toast } from '../components/toast'
import { SaveButton, Section, SettingsPage } from './components'
import { settingsKey } from './queries'

type MediaOptions = { sizeOptimization: boolean; responsiveDimensions: boolean; autoOrientation: boolean }

const KEY = settingsKey('media')
const OPTIONS = ['responsiveDimensions', 'sizeOptimization', 'autoOrientation'] as const

/** What happens to images that are uploaded. */
export function MediaSettings() {
  const { t } = useTranslation()
  const media = useQuery({ queryKey: KEY, queryFn: async () => (await request('GET /upload/settings')).data as MediaOptions })
  if (media.data) return <MediaForm options={media.data} />
  return (
    <SettingsPage title={t('settings.media')}>
      {media.error ? <ErrorState error={media.error} retry={() => void media.refetch()} /> : <Loading />}
    </SettingsPage>
  )
}

function MediaForm({ options }: { options: MediaOptions }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const form = useForm({ initialValues: options })
  const save = useMutation({
    mutationFn: (values: MediaOptions) => request('PUT /upload/settings', { body: values }),
    onSuccess: (_, sent) => {
      // What was typed meanwhile is not saved.
      form.resetDirty(sent)
      void queries.invalidateQueries({ queryKey: KEY })
      toast(t('settings.saved'))
    },
  })
  return (
    <SettingsPage
      title={t('settings.media')}
      hint={t('mediaSettings.hint')}
      actions={<SaveButton isDirty={form.isDirty()} isSaving={save.isPending} onSave={() => save.mutate(form.values)} />}
    >
      <FormError error={save.error} />
      <Section title={t('mediaSettings.images')}>
        <Stack gap="md">
          {OPTIONS.map((name) => (
            <Switch key={name} size="sm" label={t(`mediaSettings.${name}`)} description={t(`mediaSettings.${name}Hint`)} {...form.getInputProps(name, { type: 'checkbox' })} />
          ))}
        </Stack>
      </Section>
    </SettingsPage>
  )
}
