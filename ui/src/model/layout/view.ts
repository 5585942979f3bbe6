import type { Operations } from '../../api/generated'
import type { Metadata, ViewConfiguration } from '../../api/types'

/** The view of a type as the Layout tab edits it: the form is one list, which fills rows of twelve columns. */
export type LayoutDraft = {
  settings: ViewConfiguration['settings']
  metadatas: Record<string, Metadata>
  form: { name: string; size: number }[]
  columns: string[]
}

export const COLUMNS = 12
export const LEAST = 2

export const layoutOf = (view: ViewConfiguration): LayoutDraft => ({
  settings: view.settings,
  metadatas: view.metadatas,
  form: view.layouts.edit.flat(),
  columns: view.layouts.list,
})

/** Fill rows of twelve columns in order. */
export function rowsOf(form: LayoutDraft['form']): LayoutDraft['form'][] {
  const rows: LayoutDraft['form'][] = []
  let left = 0
  for (const cell of form) {
    if (cell.size > left) {
      rows.push([])
      left = COLUMNS
    }
    rows[rows.length - 1]?.push(cell)
    left -= cell.size
  }
  return rows
}

/** The fields that can be the title of an entry, or of a component among others. */
export const titleFields = ({ metadatas }: LayoutDraft): string[] => Object.keys(metadatas).filter((name) => metadatas[name]?.list.sortable)

/** The view as the server takes it. */
export function viewBody(draft: LayoutDraft): Operations['PUT /content-manager/content-types/{uid}/configuration']['body'] {
  return {
    settings: draft.settings,
    // The server tells the title field of lists, but does not take it.
    metadatas: Object.fromEntries(
      Object.entries(draft.metadatas).map(([name, { edit, list: { label, searchable, sortable } }]) => [
        name,
        { edit, list: { label, searchable, sortable } },
      ]),
    ),
    layouts: { edit: rowsOf(draft.form), list: draft.columns },
  }
}
