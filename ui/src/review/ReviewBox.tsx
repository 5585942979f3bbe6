import { ColorSwatch, Group, Paper, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { RetryLine } from '../components/States'
import { toastError } from '../components/toast'
import { queries, refreshLists } from '../queries'
import { assigneesQuery, entryReviewQuery, workflowsQuery } from './queries'

type Props = { uid: string; documentId: string; locale: string | undefined; mayUpdate: boolean }

/** The stage and the assignee of an entry whose type is in a review workflow. */
export function ReviewBox({ uid, documentId, locale, mayUpdate }: Props) {
  const { data: workflows } = useQuery(workflowsQuery)
  if (!workflows?.some((workflow) => workflow.contentTypes.includes(uid))) return null
  return <Reviewed uid={uid} documentId={documentId} locale={locale} mayUpdate={mayUpdate} />
}

function Reviewed({ uid, documentId, locale, mayUpdate }: Props) {
  const { t } = useTranslation()
  const query = entryReviewQuery(uid, documentId, locale)
  const { data: review, error, refetch } = useQuery(query)
  const { data: assignees } = useQuery({ ...assigneesQuery(uid), enabled: mayUpdate })
  const move = useMutation({
    mutationFn: async (body: { stage?: number; assignee?: number | null }) =>
      (await request('PUT /admin/x/review/entries/{uid}/{id}', { path: { uid, id: documentId }, query: { locale }, body })).data,
    onSuccess: (moved) => {
      queries.setQueryData(query.queryKey, moved)
      void refreshLists()
    },
    onError: (error) => toastError(error),
  })
  if (!review) return error && <RetryLine error={error} retry={() => void refetch()} />
  const { stages } = review.workflow
  const stage = stages.find((one) => one.id === review.stage)
  const required = stages.find((one) => one.requiredToPublish)
  const mayMove = mayUpdate && review.mayMove
  const people = assignees ?? (review.assignee ? [review.assignee] : [])
  return (
    <Paper withBorder p="sm" className="quire-surface" component="section" aria-label={t('review.title')}>
      <Stack gap={8}>
        <Select
          size="xs"
          label={t('review.stage')}
          description={required && required.id !== review.stage ? t('review.required', { stage: required.name }) : undefined}
          allowDeselect={false}
          disabled={!mayMove || move.isPending}
          title={mayMove ? undefined : mayUpdate ? t('review.mayNotMove', { stage: stage?.name ?? '' }) : t('save.noPermission')}
          leftSection={stage && <ColorSwatch size={10} color={stage.color} withShadow={false} />}
          value={String(review.stage)}
          data={stages.map((one) => ({ value: String(one.id), label: one.name }))}
          renderOption={({ option }) => (
            <Group gap={8} wrap="nowrap">
              <ColorSwatch size={10} color={stages.find((one) => String(one.id) === option.value)?.color ?? ''} withShadow={false} />
              <Text size="xs">{option.label}</Text>
            </Group>
          )}
          onChange={(id) => id && Number(id) !== review.stage && move.mutate({ stage: Number(id) })}
        />
        <Select
          size="xs"
          label={t('review.assignee')}
          placeholder={t('review.nobody')}
          searchable
          clearable={mayUpdate}
          clearButtonProps={{ 'aria-label': t('action.clear') }}
          disabled={!mayUpdate || move.isPending}
          title={mayUpdate ? undefined : t('save.noPermission')}
          value={review.assignee ? String(review.assignee.id) : null}
          data={people.map((one) => ({ value: String(one.id), label: one.name }))}
          onChange={(id) => move.mutate({ assignee: id === null ? null : Number(id) })}
        />
      </Stack>
    </Paper>
  )
}
