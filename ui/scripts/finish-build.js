// Let the page be shown before its stylesheets are there, compress what was built, and hold it to its budget: what a
// first visit loads, and each part that is loaded later.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

const FIRST_LOAD = 320_000
const LATER_PART = 150_000

const built = fileURLToPath(new URL('../../src/quire/static/admin/', import.meta.url))
// A browser shows what stands before a stylesheet while that is on the way; scripts wait for it anyway. It has to stand
// before the root, where Mantine puts the variables of the theme, which replace those of the stylesheet.
const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g
const written = readFileSync(`${built}index.html`, 'utf8')
const stylesheets = written.match(STYLESHEET).join('')
const page = written.replace(STYLESHEET, '').replace(/\s*<div id="root">/, (root) => stylesheets + root)
writeFileSync(`${built}index.html`, page)

const sizes = {}
const compress = async (name) => {
  const content = readFileSync(`${built}assets/${name}`)
  // Without HTTPS, browsers take gzip alone.
  const [zipped, smallest] = await Promise.all([promisify(gzip)(content, { level: 9 }), promisify(brotliCompress)(content)])
  writeFileSync(`${built}assets/${name}.gz`, zipped)
  writeFileSync(`${built}assets/${name}.br`, smallest)
  sizes[`assets/${name}`] = zipped.length
}
await Promise.all(readdirSync(`${built}assets`).filter((name) => /\.(js|css|svg)$/.test(name)).map(compress))

// What the page loads: it names all files, so that none waits for another one to be read.
const first = new Set([...page.matchAll(/"\/admin\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file))

const total = [...first].reduce((sum, file) => sum + (sizes[file] ?? 0), 0)
const problems = []
if (total > FIRST_LOAD) problems.push(`The first load is ${total} bytes of JavaScript, more than ${FIRST_LOAD}.`)
for (const [file, size] of Object.entries(sizes)) {
  if (file.endsWith('.js') && !first.has(file) && size > LATER_PART)
    problems.push(`${file} is ${size} bytes, more than ${LATER_PART}.`)
}
console.error(`First load: ${Math.round(total / 1000)} kB of JavaScript, compressed.`)
if (problems.length > 0) {
  rmSync(`${built}index.html`)
  console.error(problems.join('\n'))
  process.exit(1)
}
