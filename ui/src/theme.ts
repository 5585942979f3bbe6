import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

const brand: MantineColorsTuple = [
  '#eef2ff', '#e0e7ff', '#c7d2fe', '#a5b4fc', '#818cf8',
  '#6366f1', '#4f46e5', '#4338ca', '#3730a3', '#312e81',
]
const dark: MantineColorsTuple = [
  '#e6e7ea', '#b6b9c2', '#8a8f9c', '#646a78', '#3a3f4b',
  '#2a2e38', '#1e2129', '#17191f', '#121419', '#0d0f13',
]

/** Give the first item of a menu that can be chosen the focus; Mantine tries the first one, even if it is disabled. */
function focusFirstItem(menu: HTMLElement | null): void {
  window.setTimeout(() => (menu?.querySelector<HTMLElement>('[data-menu-item]:not([data-disabled])') ?? menu)?.focus({ preventScroll: true }))
}

export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: 6,
  colors: { brand, dark },
  fontFamily: '"Inter Variable", Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontSizes: { xs: '11.5px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  defaultRadius: 6,
  focusRing: 'auto',
  respectReducedMotion: true,
  cursorType: 'pointer',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '20px' }, h2: { fontSize: '16px' }, h3: { fontSize: '14px' } },
  },
  components: {
    Button: { defaultProps: { size: 'xs' } },
    Modal: { defaultProps: { centered: true, transitionProps: { duration: 120 } } },
    ModalTitle: { defaultProps: { fz: 'lg', fw: 600 } },
    DrawerTitle: { defaultProps: { fz: 'lg', fw: 600 } },
    // Their <header> would count as a second banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    // An item has the focus, not an element before it, which is none of those that a menu may have.
    Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 100 }, withInitialFocusPlaceholder: false } },
    MenuDropdown: { defaultProps: { ref: focusFirstItem } },
    Popover: { defaultProps: { shadow: 'md', transitionProps: { duration: 100 } } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true, fz: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    ComboboxChevron: { defaultProps: { color: 'dimmed' } },
    // The focus returns to a select after its value was saved: that must not open it again.
    Select: { defaultProps: { size: 'sm', checkIconPosition: 'right', openOnFocus: false, withScrollArea: false } },
    // The list of options scrolls itself: an area within it would have to take the focus.
    MultiSelect: { defaultProps: { withScrollArea: false } },
    TagsInput: { defaultProps: { withScrollArea: false } },
    Autocomplete: { defaultProps: { withScrollArea: false } },
    Anchor: { defaultProps: { underline: 'hover' } },
  },
})

// The stock dimmed, disabled and light colours of Mantine have too little contrast (WCAG AA).
export const resolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c6370',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-body': '#fbfbfc',
    '--mantine-color-disabled': '#eceef2',
    '--mantine-color-disabled-color': '#6b7280',
    '--mantine-color-error': '#b42318',
    '--mantine-color-red-6': '#c92a2a',
    '--mantine-color-anchor': '#4338ca',
    '--mantine-color-default-border': '#d9dce3',
    '--mantine-color-green-light': '#dcfce7',
    '--mantine-color-green-light-color': '#14532d',
    '--mantine-color-violet-light': '#ede9fe',
    '--mantine-color-violet-light-color': '#4c1d95',
    '--mantine-color-blue-light': '#dbeafe',
    '--mantine-color-blue-light-color': '#1e3a8a',
    '--mantine-color-gray-light': '#eef0f3',
    '--mantine-color-gray-light-color': '#374151',
    '--mantine-color-red-light': '#fee2e2',
    '--mantine-color-red-light-color': '#991b1b',
    '--mantine-color-yellow-light': '#fef3c7',
    '--mantine-color-yellow-light-color': '#713f12',
    '--mantine-color-brand-light': '#e0e7ff',
    '--mantine-color-brand-light-color': '#3730a3',
    '--quire-surface': '#ffffff',
    '--quire-hairline': '#e6e8ec',
    '--quire-control-border': '#858c99',
    '--quire-scroll-shadow': 'rgb(17 24 39 / 0.16)',
  },
  dark: {
    '--mantine-color-dimmed': '#a2a9b6',
    '--mantine-color-placeholder': '#969dab',
    '--mantine-color-disabled': '#2a2e38',
    '--mantine-color-disabled-color': '#969dab',
    '--mantine-color-error': '#fca5a5',
    '--mantine-color-anchor': '#a5b4fc',
    '--mantine-color-green-light': '#12331f',
    '--mantine-color-green-light-color': '#86efac',
    '--mantine-color-violet-light': '#2a1f4d',
    '--mantine-color-violet-light-color': '#c4b5fd',
    '--mantine-color-blue-light': '#172a4d',
    '--mantine-color-blue-light-color': '#93c5fd',
    '--mantine-color-gray-light': '#2a2e38',
    '--mantine-color-gray-light-color': '#d4d7dd',
    '--mantine-color-red-light': '#3f1618',
    '--mantine-color-red-light-color': '#fca5a5',
    '--mantine-color-yellow-light': '#3a2a0b',
    '--mantine-color-yellow-light-color': '#fde68a',
    '--mantine-color-brand-light': '#232550',
    '--mantine-color-brand-light-color': '#c7d2fe',
    '--quire-surface': '#1b1e25',
    '--quire-hairline': '#2a2e38',
    '--quire-control-border': '#6b7280',
    '--quire-scroll-shadow': 'rgb(0 0 0 / 0.55)',
  },
})
