import { PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useExplorer } from './store'

/** As whom requests are sent: as a visitor, or with a token that is pasted. */
export function RunAsControl({ size = 'sm' }: { size?: 'xs' | 'sm' }) {
  const { t } = useTranslation()
  const { runAs, token } = useExplorer()
  return (
    <Stack gap={4}>
      <Text size={size} fw={500}>{t('explorer.runAs')}</Text>
      <SegmentedControl
        size={size}
        aria-label={t('explorer.runAs')}
        value={runAs}
        onChange={(value) => useExplorer.setState({ runAs: value as typeof runAs })}
        data={[{ value: 'nobody', label: t('explorer.nobody') }, { value: 'token', label: t('explorer.token') }]}
      />
      {runAs === 'token' && (
        <PasswordInput
          size={size}
          aria-label={t('explorer.token')}
          description={t('explorer.tokenHint')}
          placeholder={t('explorer.tokenPaste')}
          autoComplete="off"
          value={token}
          onChange={(event) => useExplorer.setState({ token: event.currentTarget.value })}
        />
      )}
    </Stack>
  )
}
