import { readAsEndUser, sendContentRequest, type ContentResponse } from '../api/content'
import type { ContentType } from '../api/types'
import { problemOf, requestOf, type Draft } from './request'
import { useExplorer } from './store'

/** The request of a draft, why it cannot be sent yet, and how it is sent as whoever is chosen. */
export function useContentRequest(type: ContentType, draft: Draft) {
  const { runAs, token, role, user } = useExplorer()
  const bearer = runAs === 'token' ? token.trim() : undefined
  const request = requestOf(type, draft, bearer)
  const isEndUser = runAs === 'role' || runAs === 'user'
  const id = runAs === 'role' ? role : user
  const lacking = (runAs === 'token' && !bearer) || (isEndUser && id === null) ? runAs : null
  const problem = lacking ?? (isEndUser && request.method !== 'GET' ? 'readOnly' : problemOf(type, draft))
  const send = async (): Promise<{ response: ContentResponse; role: number | null }> =>
    isEndUser && id !== null ? readAsEndUser({ kind: runAs, id }, request.address) : { response: await sendContentRequest(request), role: null }
  return { request, problem, send, isVisitor: runAs === 'nobody' }
}
