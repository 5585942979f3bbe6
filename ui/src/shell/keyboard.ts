const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** How the key that starts shortcuts is called here. */
export const MOD = isMac ? '⌘' : 'Ctrl'
