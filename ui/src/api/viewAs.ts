import { create } from 'zustand'
import type { Permission } from './permissions'

export type ViewedRole = { id: number; name: string; isSuper: boolean; permissions: Permission[] }

/** The role whose screens and controls are shown instead of one's own, until the page is loaded again. */
export const useViewAs = create<{ role: ViewedRole | null }>(() => ({ role: null }))

/** Requests other than GET that store nothing, and those of sessions. */
const CHANGES_NOTHING = new Set<string>([
  'POST /admin/login',
  'POST /admin/logout',
  'POST /admin/x/export/{uid}',
  'POST /admin/x/end-user-roles/{id}/request',
  'POST /admin/x/end-users/{id}/request',
  'POST /admin/x/model/plan',
  'POST /admin/x/publish-check/{uid}/{id}',
  'POST /content-manager/uid/check-availability',
  'POST /content-manager/uid/generate',
])

/**
 * The role as which the UI is viewed, if an operation would change something. The server would judge
 * it by the permissions of the administrator, which are not those that the controls show.
 */
export function viewedRoleAgainst(operation: string, body?: unknown): ViewedRole | null {
  const isRead = operation.startsWith('GET ') || CHANGES_NOTHING.has(operation) || isPreview(operation, body)
  return isRead ? null : useViewAs.getState().role
}

/** A bulk edit says in its body that it is only to be shown. */
const isPreview = (operation: string, body: unknown): boolean =>
  operation === 'POST /admin/x/bulk-edit/{uid}' && (body as { preview?: unknown } | undefined)?.preview === true
