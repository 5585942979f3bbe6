/** Define `navigator.clipboard` where browsers have none: at addresses without TLS. Buttons can copy text there, too. */
export function addMissingClipboard(): void {
  if ('clipboard' in navigator) return
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })
}

function writeText(text: string): Promise<void> {
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  window.addEventListener('copy', put, true)
  // The only way there is: an event that a click begins.
  const isCopied = document.execCommand('copy')
  window.removeEventListener('copy', put, true)
  return isCopied ? Promise.resolve() : Promise.reject(new DOMException('The text is not copied.', 'NotAllowedError'))
}
