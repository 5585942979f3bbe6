import { Alert, List } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ComputedError } from '../api/generated'

export type ComputedErrors = Record<string, ComputedError>

/** Why computed fields are missing: what their functions say, or that they have failed. */
export function MissingComputedFields({ errors = {} }: { errors?: ComputedErrors }) {
  const { t } = useTranslation()
  const reasonOf = ({ message, code }: ComputedError) => message ?? t(code?.function ? 'computed.failed' : 'computed.failedUnnamed', { ...code })
  if (Object.keys(errors).length === 0) return null
  return (
    <Alert color="yellow" variant="light" p="xs" title={t('computed.missing')}>
      <List size="xs" style={{ overflowWrap: 'anywhere' }}>
        {Object.entries(errors).map(([name, error]) => <List.Item key={name}>{name}: {reasonOf(error)}</List.Item>)}
      </List>
    </Alert>
  )
}
