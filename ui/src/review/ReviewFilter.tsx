import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useAbility } from '../api/hooks'
import { assigneesQuery, workflowsQuery } from './queries'

type Chosen = { stage?: number; assignee?: number }

/** Narrow a list to a stage of the type's workflow, and to an assignee. */
export function ReviewFilter({ uid, stage, assignee, onChange }: Chosen & { uid: string; onChange: (chosen: Chosen) => void }) {
  const { t } = useTranslation()
  const mayUpdate = useAbility().canContent('update', uid)
  const { data: workflows } = useQuery(workflowsQuery)
  const workflow = workflows?.find((one) => one.contentTypes.includes(uid))
  const { data: assignees } = useQuery({ ...assigneesQuery(uid), enabled: workflow !== undefined && mayUpdate })
  if (!workflow) return null
  return (
    <>
      <Select
        size="xs"
        w={140}
        clearable
        placeholder={t('review.stage')}
        aria-label={t('review.stage')}
        clearButtonProps={{ 'aria-label': t('action.clear') }}
        value={stage === undefined ? null : String(stage)}
        data={workflow.stages.map((one) => ({ value: String(one.id), label: one.name }))}
        onChange={(id) => onChange({ stage: id ? Number(id) : undefined, assignee })}
      />
      {assignees && (
        <Select
          size="xs"
          w={150}
          clearable
          searchable
          placeholder={t('review.assignee')}
          aria-label={t('review.assignee')}
          clearButtonProps={{ 'aria-label': t('action.clear') }}
          value={assignee === undefined ? null : String(assignee)}
          data={assignees.map((one) => ({ value: String(one.id), label: one.name }))}
          onChange={(id) => onChange({ stage, assignee: id ? Number(id) : undefined })}
        />
      )}
    </>
  )
}
