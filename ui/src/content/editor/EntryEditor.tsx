import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { isLocalized, useConfiguration, useLocales } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import { ErrorState, Loading } from '../../components/States'
import { EntryForm } from './EntryForm'
import { entryQuery } from './loading'

type Props = { type: ContentType; documentId: string | null; locale: string | undefined; copyOf?: string }

/** Loads an entry in one locale for its form. */
export function EntryEditor({ type, documentId, locale: asked, copyOf }: Props) {
  const { t } = useTranslation()
  const locales = useLocales()
  const configuration = useConfiguration(type.uid)
  const locale = isLocalized(type) ? (asked ?? locales.find((one) => one.isDefault)?.code) : undefined
  const loaded = useQuery(entryQuery(type, documentId, locale))
  const source = useQuery({ ...entryQuery(type, copyOf ?? 'create', locale), enabled: copyOf !== undefined })
  if (loaded.error ?? source.error) {
    return (
      <Stack p="lg">
        <Title order={1}>{type.info.displayName}</Title>
        <ErrorState error={loaded.error ?? source.error} retry={() => void loaded.refetch()} />
      </Stack>
    )
  }
  if (!loaded.data || (copyOf && !source.data)) {
    return (
      <Stack p="lg" gap="lg">
        <Title order={1}>{t('state.loadingEntry', { type: type.info.displayName })}</Title>
        <Loading rows={6} height={56} />
      </Stack>
    )
  }
  return (
    <EntryForm
      key={`${type.uid} ${documentId} ${locale}`}
      type={type}
      configuration={configuration}
      locale={locale}
      initial={loaded.data}
      copied={copyOf ? (source.data?.entry ?? null) : null}
    />
  )
}
