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
  'POST /admin/x/model/plan',
  'POST /admin/x/publish-check/{uid}/{id}',
  'POST /content-manager/uid/check-availability',
  'POST /content-manager/uid/generate',
])

/**
 * The role as which the UI is viewed, if an operation would change something. The server would judge
 * it by the permissions of the administrator, which are not those that the controls show.
 */
export function viewedRoleAgainst(operation: string): ViewedRole | null {
  return operation.startsWith('GET ') || CHANGES_NOTHING.has(operation) ? null : useViewAs.getState().role
}
