import type { ListSearch } from '../../router'

const searches = new Map<string, ListSearch>()

/** Keep what the list of a type shows, so that whoever looks at an entry comes back to it. */
export const rememberSearch = (uid: string, search: ListSearch): void => void searches.set(uid, search)

/** The search of the list as it was shown last, in the locale of an entry. */
export const lastSearch = (uid: string, locale: string | undefined): ListSearch => ({ ...searches.get(uid), ...(locale ? { locale } : {}) })
