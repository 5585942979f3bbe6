import { expect, test } from 'vitest'
import { docsPageOf } from '../shell/HelpLink'

const DOCS = import.meta.glob<string>('../../../docs/*.md', { query: '?raw', import: 'default', eager: true })
const SCREENS = [
  '/', '/content/api::a.a', '/media', '/model', '/model/diagram', '/model/archive', '/explorer', '/activity', '/profile',
  '/settings/api-tokens', '/settings/webhooks', '/settings/locales', '/settings/media', '/settings/project', '/settings/users',
  '/settings/roles', '/settings/end-user-roles', '/settings/providers', '/settings/email-templates', '/settings/advanced',
]

test.each(SCREENS)('the help of %s is a heading of a page', (screen) => {
  const [page = '', anchor] = docsPageOf(screen).split('#')
  const text = DOCS[`../../../docs/${page}`] ?? ''
  expect(text).not.toBe('')
  const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!.toLowerCase().replace(/[^\w -]/g, '').replaceAll(' ', '-'))
  if (anchor) expect(anchors).toContain(anchor)
})
