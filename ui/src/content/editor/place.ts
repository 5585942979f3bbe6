/** Where a form stands: on the page, or in a drawer above another form. */
export type Place = {
  /** 0 on the page; a drawer has the number of drawers up to it. */
  level: number
  /** Show another document (`create` for a new one, null for that of a single type), locale, or copy. */
  open: (to: { documentId: string | null; locale?: string; from?: string }, replaces?: boolean) => void | Promise<void>
  /** The version beside the form, and how to choose another one; null where there is no room for one. */
  compare: { name: string | undefined; choose: (name: string | undefined) => void } | null
  /** Go on after the entry was deleted. */
  leave: () => void | Promise<void>
  drawer?: {
    close: () => void
    /** Have a function asked whether the drawer may close; it returns false to ask somebody first. */
    guard: (mayClose: (() => boolean) | null) => void
  }
}
