/** The Markdown of HTML that has tables alone, as spreadsheets copy them; null for other HTML, and for merged cells. */
export function markdownOfTables(html: string): string | null {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const ignored of body.querySelectorAll('style, script, meta, link, title')) ignored.remove()
  for (const line of body.querySelectorAll('br')) line.replaceWith(' ')
  const tables = Array.from(body.querySelectorAll('table'))
  if (tables.length === 0 || body.querySelector('table table, [colspan]:not([colspan="1"]), [rowspan]:not([rowspan="1"])')) return null
  const found = tables.map(markdownOf)
  for (const table of tables) table.remove()
  return body.textContent.trim() === '' ? found.join('\n\n') : null
}

/** A table whose first row is its head: Markdown has no tables without one. */
function markdownOf({ rows }: HTMLTableElement): string {
  const lines = Array.from(rows, ({ cells }) => Array.from(cells, textOf))
  const width = Math.max(...lines.map((cells) => cells.length))
  const filled = lines.map((cells) => [...cells, ...Array<string>(width - cells.length).fill('')])
  filled.splice(1, 0, Array<string>(width).fill('---'))
  return filled.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const textOf = (cell: HTMLElement): string => cell.textContent.trim().replace(/\s+/g, ' ').replace(/\|/g, '\\|')
