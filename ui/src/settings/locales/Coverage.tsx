import { Progress, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { LocaleCoverage } from '../../api/generated'
import { hasDrafts, useLocales, useModel } from '../../api/hooks'
import { ErrorState, Loading } from '../../components/States'
import { settingsKey } from '../queries'

/** How many documents of each localized type there are in each locale, and which are missing. */
export function Coverage() {
  const { t } = useTranslation()
  const locales = useLocales()
  const coverage = useQuery({ queryKey: settingsKey('locale-coverage'), queryFn: async () => (await request('GET /admin/x/locale-coverage')).data })
  if (coverage.data?.length === 0) return null
  return (
    <Stack gap="xs" mt="lg">
      <Title order={2}>{t('coverage.title')}</Title>
      <Text size="sm" c="dimmed">{t('coverage.hint')}</Text>
      {coverage.error && <ErrorState error={coverage.error} retry={() => void coverage.refetch()} />}
      {coverage.isPending && <Loading rows={3} />}
      {coverage.data && (
        <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('coverage.title')}>
          <Table className="quire-table" verticalSpacing={8}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('coverage.type')}</Table.Th>
                {locales.map((one) => <Table.Th key={one.code}>{one.name}</Table.Th>)}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {coverage.data.map((type) => (
                <Table.Tr key={type.uid}>
                  <Table.Td fw={500} style={{ verticalAlign: 'top' }}>{type.displayName}</Table.Td>
                  {locales.map((one) => <Table.Td key={one.code} style={{ verticalAlign: 'top' }}><Cell type={type} code={one.code} /></Table.Td>)}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Stack>
  )
}

function Cell({ type, code }: { type: LocaleCoverage; code: string }) {
  const { t } = useTranslation()
  const locales = useLocales()
  const model = useModel()
  const contentType = model.types.get(type.uid)
  const found = type.locales.find((one) => one.locale === code)
  if (!found) return <Text size="sm" c="dimmed">{t('coverage.unknown')}</Text>
  const missing = type.documents - found.documents
  // The list is in another locale than the one that is missing.
  const listed = locales.find((one) => one.isDefault && one.code !== code) ?? locales.find((one) => one.code !== code)
  const key = contentType && hasDrafts(contentType) ? 'coverage.published' : 'coverage.documents'
  return (
    <Stack gap={4} miw={130}>
      <Text size="sm">{t(key, { count: found.documents, total: type.documents, published: found.published })}</Text>
      <Progress size="xs" value={type.documents === 0 ? 0 : (100 * found.documents) / type.documents} aria-label={t('coverage.documents', { count: found.documents, total: type.documents })} />
      {missing > 0 && listed && type.kind === 'collectionType' && (
        <Link className="quire-title-link" to="/content/$uid" params={{ uid: type.uid }} search={{ locale: listed.code, missing: code }}>
          <Text span size="xs">{t('coverage.missing', { count: missing })}</Text>
        </Link>
      )}
    </Stack>
  )
}
