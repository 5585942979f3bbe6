import { Alert, Group, List, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { Administrator } from '../../api/generated'
import { useLocales, useModel } from '../../api/hooks'
import { ErrorState } from '../../components/States'
import { Section } from '../components'
import { settingsKey } from '../queries'
import { EXPLORER, CONTENT_VERBS } from '../roles/grants'

/** Why somebody may do something with content, or may not. */
export function Explain({ person }: { person: Administrator }) {
  const { t } = useTranslation()
  const { displayed } = useModel()
  const locales = useLocales()
  const [verb, setVerb] = useState<(typeof CONTENT_VERBS)[number]>('update')
  const [uid, setUid] = useState<string | null>(null)
  const [field, setField] = useState<string | null>(null)
  const [locale, setLocale] = useState<string | null>(null)
  const type = displayed.find((one) => one.uid === uid)
  const query = { user: person.id, action: EXPLORER + verb, subject: uid, field, locale }
  const answer = useQuery({
    queryKey: settingsKey('explain', JSON.stringify(query)),
    enabled: uid !== null,
    queryFn: async () => (await request('GET /admin/x/explain', { query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== null)) })).data,
  })
  return (
    <Section title={t('explain.title')} hint={t('explain.hint')}>
      <Group gap="xs" mb="sm">
        <Select aria-label={t('explain.action')} w={{ base: '100%', xs: 140 }} allowDeselect={false} value={verb} onChange={(value) => setVerb(value as typeof verb)} data={CONTENT_VERBS.map((value) => ({ value, label: t(`roles.action.${value}`) }))} />
        <Select
          aria-label={t('matrix.what')}
          placeholder={t('matrix.what')}
          w={{ base: '100%', xs: 200 }}
          searchable
          value={uid}
          onChange={(value) => {
            setUid(value)
            setField(null)
          }}
          data={displayed.map((one) => ({ value: one.uid, label: one.info.displayName }))}
        />
        <Select aria-label={t('filter.field')} placeholder={t('explain.anyField')} w={{ base: '100%', xs: 180 }} searchable clearable clearButtonProps={{ 'aria-label': t('action.clear') }} disabled={!type} value={field} onChange={setField} data={Object.keys(type?.attributes ?? {})} />
        <Select aria-label={t('entry.locale')} placeholder={t('explain.anyLocale')} w={{ base: '100%', xs: 160 }} clearable clearButtonProps={{ 'aria-label': t('action.clear') }} value={locale} onChange={setLocale} data={locales.map((one) => ({ value: one.code, label: one.name }))} />
      </Group>
      {answer.error && <ErrorState error={answer.error} />}
      {answer.data && (
        <Alert variant="light" role="status" color={answer.data.allowed ? 'green' : 'red'} title={answer.data.allowed ? t('explain.yes') : t('explain.no')}>
          <Text size="sm" c="inherit">{t(`explain.because.${answer.data.because}`)}</Text>
          {answer.data.permissions.length > 0 && (
            <List size="sm" mt={4}>
              {answer.data.permissions.map((one) => (
                <List.Item key={one.id}>
                  {String(one.role.name)}: {one.misses.length > 0 ? t('explain.misses', { what: one.misses.join(', ') }) : t('explain.grants')}
                </List.Item>
              ))}
            </List>
          )}
        </Alert>
      )}
    </Section>
  )
}
