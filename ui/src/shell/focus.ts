import { LAYERS } from './keyboard'

const LONGEST = 20
/** Longer than Mantine takes to return the focus to whatever had it when a dialog opened. */
const AFTER_MANTINE_MS = 30

type Focused = { element: HTMLElement; isInLayer: boolean; path: string }
const focused: Focused[] = []

/**
 * Return the focus when a dialog, menu or popover closes that had it. Mantine returns it to what had it before a dialog
 * opened, which is lost where that was the item of a menu that is closed by then.
 */
export function returnFocusFromLayers(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    focused.push({ element: target, isInLayer: target.closest(LAYERS) !== null, path: location.pathname })
    if (focused.length > LONGEST) focused.shift()
  })
  const isLost = () => {
    const last = focused[focused.length - 1]
    return document.activeElement === document.body && last !== undefined && last.isInLayer && !last.element.isConnected && last.path === location.pathname
  }
  const restore = () => {
    if (!isLost()) return
    const earlier = focused.findLast(({ element }) => element.isConnected && element.checkVisibility() && !element.closest('[inert]'))
    earlier?.element.focus({ preventScroll: true })
  }
  let timer = 0
  new MutationObserver(() => {
    if (isHeadingDue()) return focusHeading()
    // On a touch screen, the focus would bring up the keyboard.
    if (!isLost() || window.matchMedia('(pointer: coarse)').matches) return
    window.clearTimeout(timer)
    timer = window.setTimeout(restore, AFTER_MANTINE_MS)
  }).observe(document.body, { childList: true, subtree: true })
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
