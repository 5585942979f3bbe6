import { ApiError } from '../api/client'
import { keys } from '../api/keys'
import { fetchSchema, planKey, removedQuery, restoreRemoved, updateSchema } from '../api/model'
import { toast, toastError } from '../components/toast'
import { t } from '../i18n'
import { queries } from '../queries'
import { bodyOf } from './changes'
import { copyLayout } from './layout/copyLayout'
import { mergedWith } from './pendingChanges'
import { useBuilder } from './store'

/** What became of an attempt: the server wants consent where content would be removed. */
export type Outcome = 'applied' | 'needsConsent' | 'failed'

/** Everything that depends on the model: lists and forms that are open follow at once. */
async function followModel(): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: keys.model }),
    queries.invalidateQueries({ queryKey: keys.home }),
    queries.invalidateQueries({ queryKey: ['configuration'] }),
    queries.invalidateQueries({ queryKey: keys.permissions }),
    queries.invalidateQueries({ queryKey: ['content'] }),
    queries.invalidateQueries({ queryKey: removedQuery.queryKey }),
  ])
}

const newestRemoved = async (): Promise<number | null> => (await queries.fetchQuery({ ...removedQuery, staleTime: 0 }))[0]?.id ?? null

/** Apply the pending changes. `digest` is that of the plan whose losses somebody has agreed to. */
export async function applyChanges(digest?: string): Promise<Outcome> {
  const { saved, draft } = useBuilder.getState()
  if (!saved) return 'failed'
  try {
    // A plan that is still on its way would only keep the server busy.
    await queries.cancelQueries({ queryKey: planKey })
    const earlier = digest ? await newestRemoved() : null
    await updateSchema(bodyOf(saved, draft), digest)
    const copies = Object.values(draft).filter((model) => model.copyOf !== undefined && !saved[model.id])
    await Promise.all(copies.map(({ copyOf = '', uid }) => copyLayout(copyOf, uid))).catch((error: unknown) => toastError(error))
    const server = await fetchSchema()
    useBuilder.getState().load(server)
    const latest = digest ? await newestRemoved() : null
    const { saved: after, setApplied } = useBuilder.getState()
    setApplied({ before: saved, after: after ?? draft, removedId: latest === earlier ? null : latest })
    await followModel()
    return 'applied'
  } catch (error) {
    if (error instanceof ApiError && error.status === 409 && Array.isArray(error.details?.losses)) return 'needsConsent'
    toastError(error, t('model.applyFailed'))
    return 'failed'
  }
}

/** Undo the change that was applied last, with what it had removed; what others have changed since stays. */
export async function undoApplied(): Promise<void> {
  const { saved, applied } = useBuilder.getState()
  if (!saved || !applied) return
  const { draft, conflicts } = mergedWith(saved, { from: applied.after, to: applied.before })
  if (conflicts.length > 0) return toast(`${t('model.undoFailed')}. ${conflicts.join(' · ')}`)
  try {
    await updateSchema(bodyOf(saved, draft))
    const count = applied.removedId === null ? 0 : await restoreRemoved(applied.removedId)
    const server = await fetchSchema()
    useBuilder.setState({ draft })
    useBuilder.getState().load(server)
    useBuilder.getState().setApplied(null)
    await followModel()
    toast(count > 0 ? t('model.undoneWithRows', { count }) : t('model.undone'))
  } catch (error) {
    toastError(error, t('model.undoFailed'))
  }
}
