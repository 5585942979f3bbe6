/** Properties of a dialog: one with input, or with text that is shown once, closes neither by a click beside it nor by Escape. */
export const keepOpenWithInput = (hasInput: boolean) => ({ closeOnClickOutside: !hasInput, closeOnEscape: !hasInput })
