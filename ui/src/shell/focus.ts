import { LAYERS } from './keyboard'

const LONGEST = 20
/** Longer than Mantine takes to return the focus to whatever had it when a dialog opened. */
const AFTER_MANTINE_MS = 30

/** Where a control stands in a list: the list, the index of its row there, and its index among the controls of the row. */
type RowPlace = { list: Element; row: number; control: number }
type Focused = { element: HTMLElement; isInLayer: boolean; path: string; place: RowPlace | null }
const focused: Focused[] = []

const CONTROLS = 'a, button, input'

function placeOf(element: HTMLElement): RowPlace | null {
  const row = element.closest('tr, li')
  const list = row?.parentElement
  return list ? { list, row: [...list.children].indexOf(row), control: [...row.querySelectorAll(CONTROLS)].indexOf(element) } : null
}

/** The control at the place of one that is gone with its row: that of the row which follows, else of the last one. */
function controlAt({ list, row, control }: RowPlace): HTMLElement | undefined {
  const next = list.children[row] ?? list.lastElementChild
  const controls = next?.querySelectorAll<HTMLElement>(CONTROLS)
  return controls?.[control] ?? controls?.[0]
}

/**
 * Return the focus when what had it is gone: a dialog, menu or popover that closes, or a row of a list that is removed; and when
 * a button is enabled again that was disabled while it was at work. Mantine returns it to what had it before a dialog opened,
 * which is lost where that was the item of a menu that is closed by then.
 */
export function returnLostFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    focused.push({ element: target, isInLayer: target.closest(LAYERS) !== null, path: location.pathname, place: placeOf(target) })
    if (focused.length > LONGEST) focused.shift()
  })
  const isLost = () => {
    const last = focused[focused.length - 1]
    if (document.activeElement !== document.body || last === undefined || last.path !== location.pathname) return false
    return last.element.isConnected ? last.element.matches(':enabled') : last.isInLayer || last.place?.list.isConnected === true
  }
  const restore = () => {
    if (!isLost()) return
    for (const { element, isInLayer, place } of focused.toReversed()) {
      // A row may be gone before the menu that removed it has returned the focus to its button.
      const next = element.isConnected ? element : !isInLayer && place?.list.isConnected ? controlAt(place) : undefined
      if (next?.checkVisibility() && !next.closest('[inert]')) return next.focus({ preventScroll: true })
    }
  }
  let timer = 0
  new MutationObserver((changes) => {
    if (isHeadingDue()) return focusHeading()
    // A click beside a control takes the focus from it, too.
    const last = focused[focused.length - 1]?.element
    if (last?.isConnected && !changes.some(({ target, type }) => type === 'attributes' && target === last)) return
    // On a touch screen, the focus would bring up the keyboard.
    if (!isLost() || window.matchMedia('(pointer: coarse)').matches) return
    window.clearTimeout(timer)
    timer = window.setTimeout(restore, AFTER_MANTINE_MS)
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}

/** Whether the heading of a screen that was on the way is there now, in place of a control of the screen before, of another heading, or of the area that had the focus. */
function isHeadingDue(): boolean {
  const active = document.activeElement
  const last = focused[focused.length - 1]
  const isGone = active === document.body && last !== undefined && !last.element.isConnected
  const isLost = isGone && (last.element.tagName === 'H1' || last.path !== location.pathname)
  return (isLost || active?.id === 'main') && document.querySelector('#main h1') !== null
}

/** Take the focus where the control that had it is gone, which this element has taken the place of. */
export function focusIfLost(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true })
}

/**
 * Put the focus on the heading of a screen that somebody has gone to, where it is in the sidebar still, or was on a
 * link that is gone: the keys go on from there, and screen readers say where one is.
 */
export function focusHeading(): void {
  const active = document.activeElement
  const last = focused[focused.length - 1]
  const isLeft = active === document.body ? last !== undefined && !last.element.isConnected : active?.closest('#main:focus, .mantine-AppShell-navbar')
  const heading = isLeft && (document.querySelector<HTMLElement>('#main h1') ?? document.querySelector<HTMLElement>('#main'))
  if (!heading) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}
