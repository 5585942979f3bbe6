customElements.define('quire-money', class extends HTMLElement {
  field = Object.assign(document.createElement('input'), {
    inputMode: 'decimal',
    oninput: () => this.dispatchEvent(new CustomEvent('change', { detail: { value: this.field.value || null } })),
  })
  connectedCallback() {
    this.field.setAttribute('aria-label', this.getAttribute('aria-label'))
    this.append(this.field)
  }
  set value(value) {
    if (this.field.value !== String(value ?? '')) this.field.value = value ?? ''
  }
  set disabled(disabled) {
    this.field.disabled = disabled
  }
})
