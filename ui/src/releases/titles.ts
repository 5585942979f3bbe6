import type { TFunction } from 'i18next'
import type { ReleaseItem } from '../api/generated'

/** What an item is called by: the title of its entry, as far as the role may read it. */
export const titleOf = (item: ReleaseItem, t: TFunction): string =>
  item.readable ? String(item.title ?? '') || t('entry.untitled') : t('releases.hidden')
