import { Button, Code, CopyButton, Tabs } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export type Samples = { curl: string; javascript: string; python: string }

const LANGUAGES = { curl: 'cURL', javascript: 'JavaScript', python: 'Python' } as const

/** A request as code in several languages, to copy. */
export function CodeSamples({ samples }: { samples: Samples }) {
  const { t } = useTranslation()
  return (
    <Tabs defaultValue="curl" variant="pills">
      <Tabs.List>
        {Object.entries(LANGUAGES).map(([language, name]) => <Tabs.Tab key={language} value={language} fz="xs" px={8} py={4}>{name}</Tabs.Tab>)}
      </Tabs.List>
      {Object.entries(samples).map(([language, code]) => (
        <Tabs.Panel key={language} value={language} pt="xs">
          <Code block fz={11} tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: 320, overflow: 'auto' }}>{code}</Code>
          <CopyButton value={code}>
            {({ copied, copy }) => <Button mt={4} size="compact-xs" variant="subtle" onClick={copy}>{copied ? t('action.copied') : t('action.copy')}</Button>}
          </CopyButton>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
