/** What keeps a dialog open that has something to lose: a click beside it, or Escape, takes nothing away. */
export const keptOpen = (hasInput: boolean) => ({ closeOnClickOutside: !hasInput, closeOnEscape: !hasInput })
