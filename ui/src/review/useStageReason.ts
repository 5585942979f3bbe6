import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { entryReviewQuery, workflowsQuery } from './queries'

/** Why an entry cannot be published in its stage of a workflow; undefined where it can be. A new one is in the first stage. */
export function useStageReason(uid: string, documentId: string | null, locale: string | undefined, isNew: boolean): string | undefined {
  const { t } = useTranslation()
  const { data: workflows } = useQuery(workflowsQuery)
  const stages = workflows?.find((one) => one.contentTypes.includes(uid))?.stages
  const required = stages?.find((one) => one.requiredToPublish)
  const { data: review } = useQuery({ ...entryReviewQuery(uid, documentId ?? '', locale), enabled: required !== undefined && !isNew && documentId !== null })
  const stage = isNew ? stages?.[0]?.id : review?.stage
  if (!required || stage === undefined || stage === required.id) return undefined
  return t(isNew ? 'review.saveFirst' : 'review.required', { stage: required.name })
}
