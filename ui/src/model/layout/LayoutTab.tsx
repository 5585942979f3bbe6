import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { configurationQuery, useAbility, useModel } from '../../api/hooks'
import { saveConfiguration } from '../../api/model'
import type { ContentType, TypeConfiguration } from '../../api/types'
import { ErrorState, Loading } from '../../components/States'
import { toast, toastError } from '../../components/toast'
import { queries } from '../../queries'
import type { DraftModel } from '../draft'
import { CellPanel } from './CellPanel'
import { FormGrid } from './FormGrid'
import { ListSettings } from './ListSettings'
import { layoutOf, viewBody, type LayoutDraft } from './view'

/** How forms and lists of a type look. It is saved by itself: the schema files say nothing of it. */
export function LayoutTab({ model, isPending, isNew }: { model: DraftModel; isPending: boolean; isNew: boolean }) {
  const { t } = useTranslation()
  const type = useModel().types.get(model.uid)
  const configuration = useQuery({ ...configurationQuery(model.uid), enabled: !isNew && type !== undefined })
  if (isPending || isNew || !type) return <Alert color="gray">{t('model.layout.first')}</Alert>
  if (configuration.error) return <ErrorState error={configuration.error} retry={() => void configuration.refetch()} />
  if (!configuration.data) return <Loading />
  return <Layout key={configuration.dataUpdatedAt} type={type} configuration={configuration.data} />
}

function Layout({ type, configuration }: { type: ContentType; configuration: TypeConfiguration }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const kind = type.kind === 'collectionType' ? 'collection-types' : 'single-types'
  const locked = !ability.can(`plugin::content-manager.${kind}.configure-view`)
  const [saved] = useState(() => layoutOf(configuration.contentType))
  const [draft, setDraft] = useState(saved)
  const [selected, setSelected] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const change = (changed: Partial<LayoutDraft>) => setDraft((before) => ({ ...before, ...changed }))
  const cell = draft.form.find((one) => one.name === selected)
  const save = async () => {
    setBusy(true)
    try {
      await saveConfiguration(type.uid, viewBody(draft))
      toast(t('model.layout.saved'))
      await queries.invalidateQueries({ queryKey: configurationQuery(type.uid).queryKey })
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Stack gap="lg">
      {locked && <Text size="sm" c="dimmed">{t('model.layout.noPermission')}</Text>}
      <section>
        <Group justify="space-between" mb="xs">
          <Title order={2}>{t('model.layout.form')}</Title>
          {!locked && (
            <Group gap="xs">
              <Button variant="subtle" disabled={draft === saved} onClick={() => setDraft(saved)}>{t('model.discard')}</Button>
              <Button disabled={draft === saved} loading={busy} onClick={() => void save()}>{t('action.save')}</Button>
            </Group>
          )}
        </Group>
        <Group align="flex-start" gap="md" wrap="wrap">
          <FormGrid type={type} draft={draft} locked={locked} selected={selected} onSelect={setSelected} onChange={change} />
          <CellPanel type={type} draft={draft} cell={cell} locked={locked} onChange={change} />
        </Group>
      </section>
      {type.kind === 'collectionType' && <ListSettings type={type} draft={draft} locked={locked} onChange={change} />}
    </Stack>
  )
}
