/** Query keys. Those of content begin with the uid, so that a write invalidates its type alone. */
export const keys = {
  init: ['admin', 'init'] as const,
  me: ['me'] as const,
  permissions: ['me', 'permissions'] as const,
  sessions: ['me', 'sessions'] as const,
  secondFactor: ['me', 'second-factor'] as const,
  model: ['model'] as const,
  builder: ['builder'] as const,
  locales: ['locales'] as const,
  home: ['home'] as const,
  configuration: (uid: string) => ['configuration', uid] as const,
  componentConfiguration: (uid: string) => ['configuration', 'component', uid] as const,
  content: (uid: string) => ['content', uid] as const,
  list: (uid: string, query: unknown) => ['content', uid, 'list', query] as const,
  coverage: (uid: string) => ['content', uid, 'coverage'] as const,
  entry: (uid: string, documentId: string, locale: string | undefined) =>
    ['content', uid, 'entry', documentId, locale ?? null] as const,
  relations: (uid: string, id: string | number, field: string, rest: unknown) =>
    ['relations', uid, id, field, rest] as const,
  media: ['media'] as const,
  views: ['views'] as const,
}
