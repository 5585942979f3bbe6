import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ErrorState, Loading } from '../../components/States'
import { Section } from '../components'
import { rolesQuery, settingsKey } from '../queries'
import { CONTENT_VERBS, grantsOf, namesOfConditions, stateOf, type Catalogue, type Grants, type Parts } from './grants'
import { nameOfOther } from './OtherActions'
import { rolePermissions } from './RoleForm'

type Line = { what: string; mine: string; theirs: string }

/** Where what a role grants differs from another role. */
export function Comparison({ grants, parts, other, catalogue, labelOf }: {
  grants: Grants
  parts: ReadonlyMap<string, Parts>
  other: string
  catalogue: Catalogue
  labelOf: (uid: string) => string
}) {
  const { t } = useTranslation()
  const permissions = useQuery({ queryKey: settingsKey('roles', other, 'permissions'), queryFn: () => rolePermissions(other) })
  const name = useQuery(rolesQuery).data?.find((one) => String(one.id) === other)?.name ?? ''
  const lines: Line[] = []
  if (permissions.data) {
    const theirs = grantsOf(permissions.data, parts)
    for (const uid of parts.keys()) {
      for (const verb of CONTENT_VERBS) {
        const [a, b] = [describe(grants, theirs, uid, verb), describe(theirs, grants, uid, verb)]
        if (a !== b) lines.push({ what: `${labelOf(uid)}: ${t(`roles.action.${verb}`)}`, mine: a, theirs: b })
      }
    }
    for (const one of [...catalogue.sections.plugins, ...catalogue.sections.settings]) {
      const [a, b] = [describeOther(grants, one.action), describeOther(theirs, one.action)]
      if (a !== b) lines.push({ what: nameOfOther(one), mine: a, theirs: b })
    }
  }
  /** What a role grants; of fields and locales only what another role grants differently. */
  function describe(all: Grants, than: Grants, uid: string, verb: string): string {
    const state = stateOf(all, parts, uid, verb)
    const [grant, other] = [all, than].map((one) => one.content.get(`${verb} ${uid}`))
    if (state === 'off' || !grant) return t('roles.no')
    const limits = [
      namesOfConditions(grant.conditions, catalogue.conditions),
      ...(state === 'some' ? [differing(grant.fields, other?.fields), differing(grant.locales, other?.locales)] : []),
    ]
    return [t('roles.yes'), ...limits].filter(Boolean).join(' · ')
  }
  function describeOther(all: Grants, action: string): string {
    const conditions = all.others.get(action)
    return conditions ? [t('roles.yes'), namesOfConditions(conditions, catalogue.conditions)].filter(Boolean).join(' · ') : t('roles.no')
  }
  return (
    <Section title={t('roles.differences', { name })}>
      {permissions.error && <ErrorState error={permissions.error} />}
      {permissions.isPending && <Loading rows={3} />}
      {permissions.data && lines.length === 0 && <Text size="sm" c="dimmed">{t('roles.same')}</Text>}
      {lines.length > 0 && (
        <div className="quire-matrix" tabIndex={0} role="region" aria-label={t('roles.compare')} style={{ maxHeight: 320 }}>
          <Table className="quire-table" verticalSpacing={5}>
            <Table.Thead>
              <Table.Tr><Table.Th>{t('roles.permission')}</Table.Th><Table.Th>{t('roles.thisRole')}</Table.Th><Table.Th>{name}</Table.Th></Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {lines.map((line) => (
                <Table.Tr key={line.what}>
                  <Table.Td>{line.what}</Table.Td>
                  {/* What differs may be at the end. */}
                  <Table.Td className="quire-wrapped">{line.mine}</Table.Td>
                  <Table.Td className="quire-wrapped">{line.theirs}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Section>
  )
}

const differing = (mine: ReadonlySet<string>, theirs: ReadonlySet<string> | undefined): string =>
  theirs && mine.size === theirs.size && [...mine].every((one) => theirs.has(one)) ? '' : [...mine].join(', ')
