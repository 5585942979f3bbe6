import type { ContentRequest } from '../api/content'
import { encodeQuery } from '../api/query'
import type { ContentType } from '../api/types'
import type { Samples } from '../components/CodeSamples'
import { hasBody, needsDocument, parsed, queryOf, resourceOf, type Draft } from './request'

const shellQuoted = (text: string) => `'${text.replace(/'/g, "'\\''")}'`

/** A request as code. The token is a word to replace, never the one that was pasted. */
export function samplesOf(type: ContentType, draft: Draft, { method, address, body, token }: ContentRequest): Samples {
  const curl = [
    `curl -g ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(address)}`,
    ...(token ? [`-H 'Authorization: Bearer API_TOKEN'`] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellQuoted(body)}`]),
  ].join(' \\\n  ')
  return { curl, javascript: javascriptOf(type, draft, Boolean(token)), python: pythonOf(type, draft, method, address, Boolean(token)) }
}

function javascriptOf(type: ContentType, draft: Draft, withToken: boolean): string {
  const query = queryOf(type, draft)
  const data = (parsed(draft.body) as { data?: unknown } | undefined)?.data ?? {}
  const parts = [
    ...(needsDocument(type, draft.action) ? [`'${draft.documentId}'`] : []),
    ...(hasBody(draft.action) ? [JSON.stringify(data, null, 2)] : []),
    ...(Object.keys(query).length > 0 ? [JSON.stringify(query, null, 2)] : []),
  ]
  const auth = withToken ? `, auth: 'API_TOKEN'` : ''
  return [
    `import { strapi } from '@strapi/client'`,
    '',
    `const client = strapi({ baseURL: '${location.origin}/api'${auth} })`,
    `${draft.action === 'delete' ? '' : 'const { data } = '}await client.${type.kind === 'singleType' ? 'single' : 'collection'}('${resourceOf(type)}').${draft.action}(${parts.join(', ')})`,
  ].join('\n')
}

function pythonOf(type: ContentType, draft: Draft, method: string, address: string, withToken: boolean): string {
  const query = encodeQuery(queryOf(type, draft))
  const params = query.split('&').filter(Boolean).map((part) => part.split('=').map(decodeURIComponent))
  const lines = [
    `    '${address.split('?')[0]}',`,
    ...(params.length > 0 ? ['    params={', ...params.map(([key, value]) => `        ${literal(key)}: ${literal(value)},`), '    },'] : []),
    ...(withToken ? [`    headers={'Authorization': 'Bearer API_TOKEN'},`] : []),
    ...(hasBody(draft.action) ? [`    json=${literal(parsed(draft.body))},`] : []),
  ]
  const call = `httpx.${method.toLowerCase()}(\n${lines.join('\n')}\n)`
  return `import httpx\n\nresponse = ${call}\nresponse.raise_for_status()${draft.action === 'delete' ? '' : `\ndata = response.json()['data']`}`
}

/** A JSON value as Python writes it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object') return `{${Object.entries(value).map(([key, inner]) => `${literal(key)}: ${literal(inner)}`).join(', ')}}`
  return JSON.stringify(value)
}
