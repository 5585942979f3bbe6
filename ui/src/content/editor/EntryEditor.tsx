import { Anchor, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isLocalized, useAbility, useConfiguration, useLocales } from '../../api/hooks'
import type { ContentType, Entry } from '../../api/types'
import { ErrorState, Loading, NoPermission } from '../../components/States'
import { EntryForm } from './EntryForm'
import { entryQuery, type Loaded } from './loading'
import type { Place } from './place'
import type { Values } from './store'

type Props = {
  type: ContentType
  documentId: string | null
  locale: string | undefined
  copyOf?: string
  place: Place
  /** What a new entry begins with. */
  given?: Values
  onSaved?: (entry: Entry) => void
}

/** Loads an entry in one locale for its form. */
export function EntryEditor({ type, documentId, locale: asked, copyOf, place, given, onSaved }: Props) {
  const { t } = useTranslation()
  const locales = useLocales()
  const configuration = useConfiguration(type.uid)
  const locale = isLocalized(type) ? (asked ?? locales.find((one) => one.isDefault)?.code) : undefined
  const [form, setForm] = useState<FormIdentity>({ documentId, locale, copyOf, count: 0 })
  // A new entry that is saved gets an address; its form stays, with whatever is typed meanwhile.
  const wasMadeHere = form.made !== undefined && form.made.documentId === documentId && form.locale === locale
  if (wasMadeHere && form.documentId !== documentId) setForm({ ...form, documentId, copyOf })
  else if (!wasMadeHere && (form.documentId !== documentId || form.locale !== locale || form.copyOf !== copyOf)) {
    setForm({ documentId, locale, copyOf, count: form.count + 1 })
  }
  const mayRead = useAbility().canContent('read', type.uid, locale)
  const loaded = useQuery({ ...entryQuery(type, documentId, locale), enabled: !wasMadeHere })
  const source = useQuery({ ...entryQuery(type, copyOf ?? 'create', locale), enabled: copyOf !== undefined })
  const initial = wasMadeHere ? form.made : loaded.data
  const isComplete = initial !== undefined && (copyOf === undefined || wasMadeHere || source.data !== undefined)
  const error = loaded.error ?? source.error
  // Later failures belong to whoever asks again; the form with its input stays.
  if (!isComplete && error) {
    return (
      <Stack p={{ base: 'sm', sm: 'lg' }}>
        <Title order={place.level > 0 ? 2 : 1}>{type.info.displayName}</Title>
        {mayRead ? <ErrorState error={error} retry={() => void (loaded.error ? loaded : source).refetch()} /> : <NoPermission>{t('list.noPermission', { type: type.info.displayName })}</NoPermission>}
        {mayRead && place.level === 0 && type.kind === 'collectionType' && (
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/content/$uid" params={{ uid: type.uid }} search={locale ? { locale } : {}} />}>
            {t('entry.all', { type: type.info.displayName })}
          </Anchor>
        )}
      </Stack>
    )
  }
  if (!isComplete) {
    return (
      <Stack p={{ base: 'sm', sm: 'lg' }} gap="lg">
        <Title order={place.level > 0 ? 2 : 1}>{t('state.loadingEntry', { type: type.info.displayName })}</Title>
        <Loading rows={6} height={56} />
      </Stack>
    )
  }
  return (
    <EntryForm
      key={form.count}
      type={type}
      configuration={configuration}
      locale={locale}
      place={place}
      initial={initial}
      copied={copyOf ? (source.data?.entry ?? null) : null}
      given={given}
      onMade={(made) => {
        setForm((current) => ({ ...current, made }))
        return place.open({ documentId: made.documentId, locale }, true)
      }}
      onSaved={onSaved}
    />
  )
}

type FormIdentity = {
  documentId: string | null
  locale: string | undefined
  copyOf: string | undefined
  /** The document that was made of a new entry. */
  made?: Loaded
  count: number
}
