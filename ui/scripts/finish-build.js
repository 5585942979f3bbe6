// Compress what was built, and hold it to its budget: what a first visit loads, and each part that
// is loaded later.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const FIRST_LOAD = 320_000
const LATER_PART = 150_000

const built = fileURLToPath(new URL('../../src/quire/static/admin/', import.meta.url))
const page = readFileSync(`${built}index.html`, 'utf8')

const sizes = {}
for (const name of readdirSync(`${built}assets`)) {
  if (!/\.(js|css|svg)$/.test(name)) continue
  const compressed = gzipSync(readFileSync(`${built}assets/${name}`), { level: 9 })
  writeFileSync(`${built}assets/${name}.gz`, compressed)
  sizes[`assets/${name}`] = compressed.length
}

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
