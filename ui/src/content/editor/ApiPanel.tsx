import { Anchor, Badge, Button, Code, Group, MultiSelect, Select, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { hasDrafts, isLocalized, useConfiguration, useLocales, useModel } from '../../api/hooks'
import { CodeSamples } from '../../components/CodeSamples'
import { messageOf } from '../../components/errors'
import { populateChoices } from '../../explorer/populate'
import { RunAsControl } from '../../explorer/RunAsControl'
import { emptyDraft, type Draft } from '../../explorer/request'
import { samplesOf } from '../../explorer/samples'
import { useContentRequest } from '../../explorer/useContentRequest'
import type { Props } from './Inspector'

type Choice = Pick<Draft, 'locale' | 'status' | 'populate'>

/** How programs read the entry, and what they get. */
export default function ApiPanel({ type, loaded, locale }: Pick<Props, 'type' | 'loaded' | 'locale'>) {
  const { t } = useTranslation()
  const model = useModel()
  const locales = useLocales()
  const view = useConfiguration(type.uid).contentType
  const isPublished = loaded.entry?.status !== 'draft'
  const [choice, setChoice] = useState<Choice>({ locale, status: isPublished ? undefined : 'draft', populate: ['*'] })
  const change = (part: Partial<Choice>) => setChoice((before) => ({ ...before, ...part }))
  const action = type.kind === 'singleType' ? 'find' : 'findOne'
  const draft: Draft = { ...emptyDraft(type.uid), ...choice, action, documentId: loaded.documentId ?? '' }
  const { request: sent, problem, send, isVisitor } = useContentRequest(type, draft)
  const live = useMutation({ mutationFn: async () => (await send()).response })
  const here = [locale, ...loaded.others.map((one) => one.locale)]
  return (
    <Stack gap="xs">
      {isLocalized(type) && (
        <Select
          size="xs"
          label={t('explorer.locale')}
          allowDeselect={false}
          data={locales.filter(({ code }) => here.includes(code)).map(({ code, name }) => ({ value: code, label: name }))}
          value={choice.locale ?? null}
          onChange={(code) => change({ locale: code ?? undefined })}
        />
      )}
      {hasDrafts(type) && (
        <Select
          size="xs"
          label={t('explorer.status')}
          allowDeselect={false}
          data={[{ value: 'published', label: t('explorer.published') }, { value: 'draft', label: t('explorer.draft') }]}
          value={choice.status ?? 'published'}
          // Programs that name no status read what is published.
          onChange={(status) => change({ status: status === 'draft' ? status : undefined })}
        />
      )}
      <MultiSelect
        size="xs"
        label={t('explorer.populate')}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('action.clear') }}
        data={[{ value: '*', label: t('explorer.populateAll') }, ...populateChoices(type, model.types, view)]}
        value={choice.populate}
        onChange={(populate) => change({ populate: populate.at(-1) === '*' ? ['*'] : populate.filter((one) => one !== '*') })}
      />
      <RunAsControl size="xs" />
      <CodeSamples samples={samplesOf(type, draft, sent)} />
      <Group gap="xs">
        <Button variant="default" disabled={problem !== null} loading={live.isPending} onClick={() => live.mutate()}>{t('explorer.send')}</Button>
        {problem && <Text size="xs" c="dimmed">{t(`explorer.problem.${problem}`)}</Text>}
        {isVisitor && <Anchor size="xs" href={sent.address} target="_blank" rel="noreferrer">{t('api.open')}</Anchor>}
      </Group>
      {live.error && <Text size="xs" c="var(--mantine-color-error)" role="alert">{messageOf(live.error)}</Text>}
      {live.data && (
        <>
          <Group gap="xs" role="status">
            <Badge variant="light" tt="none" color={live.data.status < 400 ? 'green' : 'red'}>{live.data.status}</Badge>
            <Text size="xs">{t('explorer.took', { ms: live.data.ms, size: live.data.size })}</Text>
          </Group>
          {(live.data.status === 401 || live.data.status === 403) && <Text size="xs" c="dimmed">{t('api.hint')}</Text>}
          <Code block fz={11} tabIndex={0} aria-label={t('explorer.response')} role="region" style={{ maxHeight: 320, overflow: 'auto' }}>{live.data.text}</Code>
        </>
      )}
    </Stack>
  )
}
