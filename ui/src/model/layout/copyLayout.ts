import { configurationQuery } from '../../api/hooks'
import { saveConfiguration } from '../../api/model'
import { queries } from '../../queries'
import { layoutOf, viewBody, type LayoutDraft } from './view'

/** Give a type the form and lists of the one that it was copied from. Fields that this one has not keep their own place. */
export async function copyLayout(from: string, to: string): Promise<void> {
  const [source, own] = await Promise.all([from, to].map((uid) => queries.fetchQuery({ ...configurationQuery(uid), staleTime: 0 })))
  if (!source || !own) return
  await saveConfiguration(to, viewBody(layoutWith(layoutOf(source.contentType), layoutOf(own.contentType))))
}

export function layoutWith(source: LayoutDraft, own: LayoutDraft): LayoutDraft {
  const isOwn = (name: string) => name in own.metadatas
  const columns = source.columns.filter(isOwn)
  const { mainField, defaultSortBy } = source.settings
  return {
    settings: {
      ...source.settings,
      mainField: isOwn(mainField) ? mainField : own.settings.mainField,
      defaultSortBy: isOwn(defaultSortBy) ? defaultSortBy : own.settings.defaultSortBy,
    },
    metadatas: Object.fromEntries(Object.entries(own.metadatas).map(([name, metadata]) => [name, source.metadatas[name] ?? metadata])),
    form: [...source.form.filter(({ name }) => isOwn(name)), ...own.form.filter(({ name }) => !(name in source.metadatas))],
    columns: columns.length > 0 ? columns : own.columns,
  }
}
