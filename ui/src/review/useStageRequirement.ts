import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { entryReviewQuery, workflowsQuery } from './queries'

/**
 * The stage of its workflow that an entry must have to be published, as a sentence; undefined where it may be published.
 * One without a `documentId` is new, so in the first stage.
 */
export function useStageRequirement(uid: string, documentId: string | null, locale: string | undefined): string | undefined {
  const { t } = useTranslation()
  const { data: workflows } = useQuery(workflowsQuery)
  const stages = workflows?.find((one) => one.contentTypes.includes(uid))?.stages
  const required = stages?.find((one) => one.requiredToPublish)
  const { data: review } = useQuery({ ...entryReviewQuery(uid, documentId ?? '', locale), enabled: required !== undefined && documentId !== null })
  const isNew = documentId === null
  const stage = isNew ? stages?.[0]?.id : review?.stage
  if (!required || stage === undefined || stage === required.id) return undefined
  return t(isNew ? 'review.saveFirst' : 'review.required', { stage: required.name })
}
