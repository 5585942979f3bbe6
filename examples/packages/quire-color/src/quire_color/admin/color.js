// The input of a color: a picker and a text field, or the colors of a palette.

const TEXTS = {
  en: { picker: '{label}: color picker', none: 'No color', enough: 'Contrast {ratio}', low: 'Contrast {ratio}; it must be at least {needed}' },
  de: { picker: '{label}: Farbwähler', none: 'Keine Farbe', enough: 'Kontrast {ratio}', low: 'Kontrast {ratio}; er muss mindestens {needed} sein' },
  fr: { picker: '{label} : sélecteur de couleur', none: 'Aucune couleur', enough: 'Contraste {ratio}', low: 'Contraste {ratio} ; il doit être d’au moins {needed}' },
}
const DIGITS = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i
const BORDER = '1px solid var(--mantine-color-default-border, currentColor)'
let elements = 0

/** The color as #rrggbb or #rrggbbaa; null if the text is no color. */
function normalize(text) {
  if (!DIGITS.test(text)) return null
  const digits = text.slice(1).toLowerCase()
  return `#${digits.length <= 4 ? [...digits].map((digit) => digit + digit).join('') : digits}`
}

/** The colors of a palette such as "Sea #1d4ed8, Sand #fde68a", with their names. */
function readPalette(text) {
  const entries = text.split(',').map((entry) => entry.trim()).filter(Boolean)
  return entries.map((entry) => {
    const at = entry.lastIndexOf(' ')
    return { color: normalize(entry.slice(at + 1)), name: entry.slice(0, Math.max(at, 0)).trim() || entry }
  })
}

/** The contrast of two colors, from 1 to 21, as the server computes it. */
function contrast(color, background) {
  const below = channels(background)
  const [red, green, blue, alpha = 1] = channels(color)
  const blended = [red, green, blue].map((channel, at) => alpha * channel + (1 - alpha) * below[at])
  const [dark, light] = [luminance(blended), luminance(below)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const channels = (color) => color.slice(1).match(/../g).map((digits) => parseInt(digits, 16) / 255)

function luminance(color) {
  const [red, green, blue] = color.map((channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function create(name, properties, style = {}, children = []) {
  const element = Object.assign(document.createElement(name), properties)
  Object.assign(element.style, style)
  element.append(...children)
  return element
}

class ColorInput extends HTMLElement {
  #value = ''
  #options = {}
  #disabled = false
  #error = null
  #locale = 'en'
  #builtFrom = ''
  #update = () => {}

  set value(value) {
    this.#value = String(value ?? '')
    this.#render()
  }
  set options(options) {
    this.#options = options
    this.#render()
  }
  set disabled(disabled) {
    this.#disabled = Boolean(disabled)
    this.#render()
  }
  set error(error) {
    this.#error = error
    this.#render()
  }
  set locale(locale) {
    this.#locale = locale
    this.#render()
  }

  connectedCallback() {
    this.#render()
  }

  #render() {
    if (!this.isConnected) return
    const palette = String(this.#options.palette ?? '')
    const source = JSON.stringify([palette, this.#locale])
    if (source !== this.#builtFrom) {
      this.#builtFrom = source
      this.#update = palette ? this.#buildPalette(readPalette(palette)) : this.#buildFields()
    }
    this.#update()
  }

  #text(name, values = {}) {
    const texts = TEXTS[this.#locale.slice(0, 2)] ?? TEXTS.en
    return texts[name].replace(/\{(\w+)\}/g, (_, key) => values[key])
  }

  #change(value) {
    this.dispatchEvent(new CustomEvent('change', { detail: { value: value || null } }))
  }

  /** Creates a picker and a text field; returns what shows the state in them. */
  #buildFields() {
    const label = this.getAttribute('aria-label') ?? ''
    const picker = create('input', { type: 'color', ariaLabel: this.#text('picker', { label }) }, { width: '2.5rem', height: '2.25rem', padding: '0', border: BORDER })
    const field = create(
      'input',
      { type: 'text', ariaLabel: label, placeholder: '#rrggbb', spellcheck: false, autocomplete: 'off' },
      { flex: '1', minWidth: '6rem', height: '2.25rem', padding: '0 0.75rem', font: 'inherit', color: 'inherit', background: 'transparent', border: BORDER, borderRadius: '4px' },
    )
    const hint = create('output', {}, { fontSize: '0.85em' })
    picker.oninput = () => this.#change(picker.value)
    field.oninput = () => this.#change(field.value.trim())
    this.replaceChildren(create('div', {}, { display: 'flex', flexWrap: 'wrap', gap: '0.5rem', alignItems: 'center' }, [picker, field, hint]))
    return () => {
      const color = normalize(this.#value)
      picker.value = color?.slice(0, 7) ?? '#000000'
      if (field.value.trim() !== this.#value) field.value = this.#value
      picker.disabled = field.disabled = this.#disabled
      field.ariaInvalid = String(Boolean(this.#error))
      const message = color ? this.#contrastText(color) : ''
      if (hint.textContent !== message) hint.textContent = message
    }
  }

  #contrastText(color) {
    const { background, contrast: needed } = this.#options
    const below = normalize(String(background ?? ''))
    if (!below) return ''
    const ratio = contrast(color, below)
    const format = new Intl.NumberFormat(this.#locale, { maximumFractionDigits: 2 })
    return this.#text(ratio < needed ? 'low' : 'enough', { ratio: format.format(ratio), needed: format.format(needed) })
  }

  /** Creates a radio button for each color; returns what shows the state in them. */
  #buildPalette(palette) {
    const group = `quire-color-${++elements}`
    const radios = [{ color: '', name: this.#text('none') }, ...palette].map(({ color, name }) => {
      const radio = create('input', { type: 'radio', name: group, value: color, onchange: () => this.#change(color) }, { margin: '0' })
      const sample = create('span', { ariaHidden: 'true' }, { width: '1.25rem', height: '1.25rem', background: color || 'none', border: BORDER, borderRadius: '4px' })
      return { radio, label: create('label', {}, { display: 'inline-flex', gap: '0.4rem', alignItems: 'center' }, [radio, sample, name]) }
    })
    const box = create('div', { role: 'radiogroup', ariaLabel: this.getAttribute('aria-label') }, { display: 'flex', flexWrap: 'wrap', gap: '0.4rem 1rem' }, radios.map(({ label }) => label))
    this.replaceChildren(box)
    return () => {
      const color = normalize(this.#value) ?? ''
      box.ariaInvalid = String(Boolean(this.#error))
      for (const { radio } of radios) {
        radio.checked = radio.value === color
        radio.disabled = this.#disabled
      }
    }
  }
}

customElements.define('quire-color', ColorInput)
