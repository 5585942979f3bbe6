/** How an administrator is called, null for nobody. */
export const nameOf = (person: { firstname?: string | null; lastname?: string | null; email?: string | null } | null | undefined): string | null =>
  person ? [person.firstname, person.lastname].filter(Boolean).join(' ') || (person.email ?? null) : null
