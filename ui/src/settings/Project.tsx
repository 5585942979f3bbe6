import { Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ErrorState, Loading } from '../components/States'
import { Section, SettingsPage } from './components'
import { informationQuery } from './queries'

/** Facts about the server that bug reports need. */
export function Project() {
  const { t } = useTranslation()
  const facts = useQuery(informationQuery)
  const rows: [string, string | undefined][] = [
    [t('project.version'), facts.data?.quireVersion],
    [t('project.python'), facts.data?.pythonVersion],
    [t('project.database'), facts.data?.database],
    [t('project.environment'), facts.data?.currentEnvironment],
    [t('project.compatible'), facts.data?.strapiVersion && `Strapi ${facts.data.strapiVersion}`],
  ]
  return (
    <SettingsPage title={t('settings.project')}>
      {facts.error && <ErrorState error={facts.error} retry={() => void facts.refetch()} />}
      {facts.isPending && <Loading rows={4} />}
      {facts.data && (
        <Section title={t('project.facts')}>
          <Table withRowBorders={false} verticalSpacing={4} layout="fixed" maw={480}>
            <Table.Tbody>
              {rows.filter(([, value]) => value).map(([label, value]) => (
                <Table.Tr key={label}>
                  <Table.Th scope="row" fw={500} c="dimmed" pl={0}>{label}</Table.Th>
                  <Table.Td>{value}</Table.Td>
                </Table.Tr>
              ))}
              <Table.Tr>
                <Table.Th scope="row" fw={500} c="dimmed" pl={0}>{t('project.api')}</Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{location.origin}/api</Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
        </Section>
      )}
    </SettingsPage>
  )
}
