// Let the page be shown before its stylesheets are there, compress what was built, and hold it to its budgets: what the
// sign-in page loads, what people load who are signed in, and each part that is loaded later.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

const SIGN_IN = { js: 190_000, css: 15_000 }
const SIGNED_IN = { js: 290_000, css: 57_000 }
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

// The page names all files of both, so that none waits for another one to be read.
const namesOf = (pattern) => new Set([...page.matchAll(pattern)].map(([, file]) => file))
const signIn = namesOf(/(?:src|href)="\/admin\/(assets\/[^"]+)"/g)
const signedIn = new Set([...signIn, ...namesOf(/,"\/admin\/(assets\/[^"]+)"/g)])

const problems = []
const check = (what, files, budget) => {
  for (const [kind, most] of Object.entries(budget)) {
    const total = [...files].reduce((sum, file) => sum + (file.endsWith(`.${kind}`) ? sizes[file] : 0), 0)
    console.error(`${what}: ${Math.round(total / 1000)} kB of ${kind}, compressed.`)
    if (total > most) problems.push(`${what}: ${total} bytes of ${kind} are more than ${most}.`)
  }
}
if (signedIn.size === signIn.size) problems.push('The page does not name what people load who are signed in.')
check('Sign-in page', signIn, SIGN_IN)
check('Home', signedIn, SIGNED_IN)
for (const [file, size] of Object.entries(sizes)) {
  if (file.endsWith('.js') && !signedIn.has(file) && size > LATER_PART) problems.push(`${file} is ${size} bytes, more than ${LATER_PART}.`)
}
if (problems.length > 0) {
  rmSync(`${built}index.html`)
  console.error(problems.join('\n'))
  process.exit(1)
}
