import { useHotkeys, type HotkeyItem } from '@mantine/hooks'
import type { RefObject } from 'react'
import { i18next, t } from '../i18n'

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** What is written on a key, on keyboards of the language of the UI; `Mod` is the key that starts shortcuts. */
export function keyName(key: string): string {
  if (key === 'Mod' && isMac) return '⌘'
  const name = `key.${key}`
  return i18next.exists(name) ? t(name as 'key.Mod') : key
}

/** What lies over a screen: dialogs, menus, and lists of choices. */
export const LAYERS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** Whether a key is pressed in a dialog or a menu, unless that holds the part of the screen which the key is for. */
export function isInLayer({ target }: KeyboardEvent, part: HTMLElement | null = null): boolean {
  const layer = target instanceof Element ? target.closest(LAYERS) : null
  return layer !== null && !(part && layer.contains(part))
}

const WITHOUT_TEXT = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'file', 'range', 'color'])

/** Whether a key is pressed where it may write: a checkbox that has the focus leaves single letters to the screen. */
export function isInText({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type)
  return target.isContentEditable || target.matches('textarea, select')
}

/** Keys of a screen, or of a part of one: they do nothing while a dialog or a menu lies over it. */
export function useScreenHotkeys(hotkeys: HotkeyItem[], tagsToIgnore?: string[], inRichText?: boolean, part?: RefObject<HTMLElement | null>): void {
  const guarded = hotkeys.map(([key, act, options]): HotkeyItem => [key, (event) => isInLayer(event, part?.current) || act(event), options])
  useHotkeys(guarded, tagsToIgnore, inRichText)
}

/** Single letters of a screen, which do nothing where they may be typed, or while a dialog or a menu lies over it. */
export function useScreenLetters(hotkeys: [key: string, act: () => void][]): void {
  const guarded = hotkeys.map(([key, act]): HotkeyItem => [
    key,
    (event) => {
      if (isInText(event) || isInLayer(event)) return
      event.preventDefault()
      act()
    },
    { preventDefault: false },
  ])
  useHotkeys(guarded, [], true)
}
