import { Anchor, Button, Group, NumberInput, Paper, Switch, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAbility, useModel } from '../api/hooks'
import { keys } from '../api/keys'
import { createSamples } from '../api/model'
import { toastError } from '../components/toast'
import { queries } from '../queries'
import { isOwn, type DraftModel } from './draft'
import { useChanges } from './store'

const USUAL = 10
const MOST = 100

/** Entries with made-up values, to try a type out. */
export function SampleEntries({ model }: { model: DraftModel }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const type = useModel().types.get(model.uid)
  const isPending = useChanges().some((change) => change.modelId === model.id)
  const [count, setCount] = useState<number | string>(USUAL)
  const [publishes, setPublishes] = useState(false)
  const hasDrafts = model.options.draftAndPublish === true
  const create = useMutation({
    mutationFn: () => createSamples(model.uid, { count: Number(count), ...(hasDrafts ? { publish: publishes } : {}) }),
    onSuccess: () => Promise.all([queries.invalidateQueries({ queryKey: keys.content(model.uid) }), queries.invalidateQueries({ queryKey: keys.home })]),
    onError: (error) => toastError(error, t('model.samples.failed')),
  })
  if (model.isComponent || !isOwn(model) || model.kind !== 'collectionType' || !ability.canContent('create', model.uid)) return null
  const isReady = type !== undefined && !isPending
  return (
    <Paper withBorder p="md" className="quire-surface" component="section" aria-label={t('model.samples')}>
      <Title order={2} mb={4}>{t('model.samples')}</Title>
      <Text size="sm" c="dimmed" mb="sm">{t(isReady ? 'model.samples.hint' : 'model.samples.first')}</Text>
      <Group gap="md" align="center">
        <NumberInput
          w={90}
          aria-label={t('model.samples.count')}
          min={1}
          max={MOST}
          allowDecimal={false}
          clampBehavior="strict"
          value={count}
          onChange={setCount}
        />
        {hasDrafts && ability.canContent('publish', model.uid) && (
          <Switch size="sm" label={t('model.samples.publish')} checked={publishes} onChange={(event) => setPublishes(event.currentTarget.checked)} />
        )}
        <Button variant="default" leftSection={<FlaskConical size={14} />} disabled={!isReady || !(Number(count) >= 1)} loading={create.isPending} onClick={() => create.mutate()}>
          {t('model.samples.create', { count: Number(count) })}
        </Button>
      </Group>
      {create.data && (
        <Text size="sm" mt="sm" role="status">
          {t('model.samples.created', { count: create.data.count })}{' '}
          <Anchor component={Link} to={`/content/${model.uid}`} inherit underline="always">{t('model.samples.show')}</Anchor>
        </Text>
      )}
    </Paper>
  )
}
