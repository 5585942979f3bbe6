import { ActionIcon, Button, ColorInput, Group, Modal, MultiSelect, Paper, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import type { ReviewWorkflow } from '../../api/generated'
import { hasDrafts, useAbility, useModel } from '../../api/hooks'
import { keepOpenWithInput } from '../../components/dialogs'
import { messageOf } from '../../components/errors'
import { toast } from '../../components/toast'
import { reviewKey } from '../../review/queries'
import { rolesQuery } from '../queries'

type Stage = { key: number; id?: number; name: string; color: string; roles: number[] }

const COLORS = ['#4945FF', '#F29D41', '#5CB176', '#66B7F1', '#9736E8', '#EE5E52', '#8E8EA9']
const NONE = 'none'

/** The form of a workflow: its name, its content types and its stages in order. */
export function WorkflowDialog({ workflow, others, onClose }: { workflow: ReviewWorkflow | null; others: ReviewWorkflow[]; onClose: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { displayed } = useModel()
  const [name, setName] = useState(workflow?.name ?? '')
  const [contentTypes, setContentTypes] = useState(workflow?.contentTypes ?? [])
  const [stages, setStages] = useState<Stage[]>(
    workflow?.stages.map((stage, key) => ({ key, id: stage.id, name: stage.name, color: stage.color, roles: stage.roles })) ??
      [t('workflows.draft'), t('workflows.inReview'), t('workflows.approved')].map((name, key) => ({ key, name, color: COLORS[key] ?? '#4945FF', roles: [] })),
  )
  const initial = workflow ? workflow.stages.findIndex((stage) => stage.requiredToPublish) : 2
  const [required, setRequired] = useState<number | null>(initial < 0 ? null : initial)
  const input = JSON.stringify([name, contentTypes, stages, required])
  const [initialInput] = useState(input)
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        name: name.trim(),
        contentTypes,
        stages: stages.map(({ key, id, name, color, roles }) => ({ ...(id === undefined ? {} : { id }), name: name.trim(), color, roles, requiredToPublish: key === required })),
      }
      if (workflow) await request('PUT /admin/x/review/workflows/{id}', { path: { id: workflow.id }, body })
      else await request('POST /admin/x/review/workflows', { body })
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: reviewKey })
      toast(t('settings.saved'))
      onClose()
    },
  })
  const taken = new Set(others.flatMap((one) => one.contentTypes))
  const types = displayed.filter(hasDrafts).map((type) => ({ value: type.uid, label: type.info.displayName, disabled: taken.has(type.uid) }))
  const change = (key: number, values: Partial<Stage>) => setStages((all) => all.map((one) => (one.key === key ? { ...one, ...values } : one)))
  const move = (at: number, by: number) =>
    setStages((all) => {
      const next = [...all]
      const [moved] = next.splice(at, 1)
      if (moved) next.splice(at + by, 0, moved)
      return next
    })
  const add = () => setStages((all) => [...all, { key: Math.max(...all.map((one) => one.key)) + 1, name: '', color: COLORS[all.length % COLORS.length] ?? '#4945FF', roles: [] }])
  const remove = (key: number) => {
    setStages((all) => all.filter((one) => one.key !== key))
    if (required === key) setRequired(null)
  }
  const isReady = name.trim() !== '' && stages.every((stage) => stage.name.trim() !== '')
  return (
    <Modal opened onClose={onClose} {...keepOpenWithInput(input !== initialInput)} size="xl" title={workflow ? t('workflows.edit') : t('workflows.create')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) save.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput label={t('settings.name')} required maxLength={100} data-autofocus value={name} onChange={(event) => setName(event.currentTarget.value)} />
          <MultiSelect label={t('workflows.types')} description={t('workflows.typesHint')} searchable data={types} value={contentTypes} onChange={setContentTypes} />
          <Text size="sm" fw={500}>{t('workflows.stages')}</Text>
          {stages.map((stage, at) => (
            <StageForm
              key={stage.key}
              stage={stage}
              number={at + 1}
              onChange={(values) => change(stage.key, values)}
              onMove={(by) => move(at, by)}
              onRemove={stages.length > 1 ? () => remove(stage.key) : undefined}
              isLast={at === stages.length - 1}
            />
          ))}
          <Group><Button variant="default" leftSection={<Plus size={14} />} onClick={add}>{t('workflows.addStage')}</Button></Group>
          <Radio.Group label={t('workflows.required')} value={required === null ? NONE : String(required)} onChange={(value) => setRequired(value === NONE ? null : Number(value))}>
            <Group gap="md" mt={6}>
              <Radio size="xs" value={NONE} label={t('workflows.anyStage')} />
              {stages.map((stage, at) => <Radio key={stage.key} size="xs" value={String(stage.key)} label={stage.name || t('workflows.stage', { number: at + 1 })} />)}
            </Group>
          </Radio.Group>
          {save.error && <Text size="sm" c="var(--mantine-color-error)" role="alert">{messageOf(save.error)}</Text>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
            <Button type="submit" loading={save.isPending} disabled={!isReady}>{t('action.save')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

type StageProps = { stage: Stage; number: number; isLast: boolean; onChange: (values: Partial<Stage>) => void; onMove: (by: number) => void; onRemove?: () => void }

function StageForm({ stage, number, isLast, onChange, onMove, onRemove }: StageProps) {
  const { t } = useTranslation()
  const mayReadRoles = useAbility().can('admin::roles.read')
  const { data: roles } = useQuery({ ...rolesQuery, enabled: mayReadRoles })
  const title = stage.name || t('workflows.stage', { number })
  return (
    <Paper withBorder p="xs" component="fieldset" m={0} aria-label={t('workflows.stage', { number })}>
      <Group gap="xs" align="flex-end">
        <TextInput size="xs" label={t('settings.name')} required maxLength={100} style={{ flex: '1 1 140px' }} value={stage.name} onChange={(event) => onChange({ name: event.currentTarget.value })} />
        <ColorInput size="xs" w={130} label={t('workflows.color')} format="hex" swatches={COLORS} withEyeDropper={false} value={stage.color} onChange={(color) => onChange({ color: color.toUpperCase() })} />
        {roles && (
          <MultiSelect
            size="xs"
            style={{ flex: '2 1 180px' }}
            label={t('workflows.roles')}
            placeholder={stage.roles.length === 0 ? t('workflows.everyRole') : undefined}
            data={roles.map((role) => ({ value: String(role.id), label: role.name }))}
            value={stage.roles.map(String)}
            onChange={(ids) => onChange({ roles: ids.map(Number) })}
          />
        )}
        <ActionIcon.Group>
          <ActionIcon variant="default" size={30} aria-label={t('workflows.up', { stage: title })} disabled={number === 1} onClick={() => onMove(-1)}><ArrowUp size={14} /></ActionIcon>
          <ActionIcon variant="default" size={30} aria-label={t('workflows.down', { stage: title })} disabled={isLast} onClick={() => onMove(1)}><ArrowDown size={14} /></ActionIcon>
          <ActionIcon variant="default" size={30} aria-label={t('workflows.remove', { stage: title })} disabled={!onRemove} onClick={onRemove}><Trash2 size={14} /></ActionIcon>
        </ActionIcon.Group>
      </Group>
    </Paper>
  )
}
