import type { Plan } from '../api/model'
import { t } from '../i18n'
import type { Change } from './changes'

/** A change as a short sentence. */
export function sentenceOf(change: Change): string {
  const { kind, name = '', before = '', model } = change
  return t(`model.change.${kind}`, { name: name || t('model.newField'), before, model })
}

/** What a plan warns of: content that goes, and entries that break a rule afterwards. */
export function warningsOf(plan: Plan | undefined): string[] {
  if (!plan) return []
  const lost = plan.steps.reduce((sum, step) => sum + step.rowsLost, 0)
  return [
    ...(lost > 0 ? [t('model.plan.lost', { count: lost })] : []),
    ...plan.notices.map((notice) => t('model.plan.notice', { count: notice.rows, name: notice.attribute, rule: notice.rule })),
  ]
}

const STEPS = [
  'addColumn', 'beginDrafts', 'beginLocales', 'convertColumn', 'createIndex', 'createTable', 'dropColumn', 'dropIndex', 'dropRows',
  'dropTable', 'endDrafts', 'endLocales', 'renameColumn', 'renameField', 'renameModel', 'renameTable',
] as const

/** A step of a plan in the language of the UI; one that it does not know as the server says it. */
export function stepText(step: Plan['steps'][number]): string {
  const known = STEPS.find((name) => name === step.step)
  return known ? t(`model.step.${known}`, { ...step.details, count: Number(step.details.rows ?? 0) }) : step.text
}
