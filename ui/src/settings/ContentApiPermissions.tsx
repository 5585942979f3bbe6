import { Checkbox, Code, SimpleGrid, Stack, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { PermissionMatrix, type MatrixRow } from '../components/PermissionMatrix'
import { i18next } from '../i18n'
import { CONTENT_ACTIONS, type Catalogue } from './contentApi'

type Props = {
  catalogue: Catalogue
  granted: ReadonlySet<string>
  onChange: (granted: Set<string>) => void
  readOnly?: boolean
  tools?: (row: MatrixRow) => MatrixRow['tools']
}

/** What a token or a role of end users may do: content types by action, then everything else. */
export function ContentApiPermissions({ catalogue, granted, onChange, readOnly = false, tools }: Props) {
  const { t } = useTranslation()
  const change = (uids: string[], on: boolean) => {
    const next = new Set(granted)
    for (const uid of uids) {
      if (on) next.add(uid)
      else next.delete(uid)
    }
    onChange(next)
  }
  return (
    <Stack gap="lg">
      <PermissionMatrix
        label={t('matrix.types')}
        actions={CONTENT_ACTIONS.map((id) => ({ id, label: id }))}
        rows={tools ? catalogue.types.map((row) => ({ ...row, tools: tools(row) })) : catalogue.types}
        state={(row, action) => (granted.has(`${row}.${action}`) ? 'on' : 'off')}
        onChange={(cells, on) => change(cells.map((cell) => `${cell.row}.${cell.action}`), on)}
        hint={(row, action) => catalogue.routes.get(`${row}.${action}`)?.join(', ')}
        readOnly={readOnly}
      />
      {catalogue.others.map(({ api, actions }) => {
        const all = actions.every((one) => granted.has(one.uid))
        const some = actions.some((one) => granted.has(one.uid))
        const name = nameOf(api)
        return (
          <Stack key={api} gap="xs" component="section" aria-label={name}>
            <Checkbox
              size="xs"
              label={<Title order={3}>{name}</Title>}
              checked={all}
              indeterminate={some && !all}
              disabled={readOnly}
              onChange={() => change(actions.map((one) => one.uid), !all)}
            />
            <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="xs" verticalSpacing={8} pl={24}>
              {actions.map((one) => (
                <Checkbox
                  key={one.uid}
                  size="xs"
                  disabled={readOnly}
                  title={one.uid}
                  label={one.isNamed ? one.label : <Code fz="xs" bg="transparent" p={0}>{one.label}</Code>}
                  description={one.routes.map((route) => <Code key={route} display="block" fz="xs" bg="transparent" p={0} c="dimmed" style={{ overflowWrap: 'anywhere' }}>{route}</Code>)}
                  checked={granted.has(one.uid)}
                  onChange={() => change([one.uid], !granted.has(one.uid))}
                />
              ))}
            </SimpleGrid>
          </Stack>
        )
      })}
    </Stack>
  )
}

/** The name of a plugin or API for people. */
export function nameOf(api: string): string {
  const key = `plugin.${api.replace(/^plugin::/, '')}`
  return i18next.exists(key) ? i18next.t(key as 'plugin.upload') : api.replace(/^\w+::/, '')
}
