import { Alert, List } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { FailedReadRule } from '../api/generated'

/** Content types whose entries are missing, because rules of the project's code have failed. */
export function FailedRules({ rules = [] }: { rules?: FailedReadRule[] }) {
  const { t } = useTranslation()
  if (rules.length === 0) return null
  return (
    <Alert color="red" variant="light" p="xs" title={t('rules.failed')}>
      <List size="xs" style={{ overflowWrap: 'anywhere' }}>
        {rules.map(({ uid, displayName, code }) => (
          <List.Item key={uid}>{displayName}: {t(code.function ? 'computed.failed' : 'computed.failedUnnamed', { ...code })}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
