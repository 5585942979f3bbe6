import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const server = process.env.QUIRE_ADDRESS ?? 'http://localhost:1337'

// Paths of the admin API below /admin, whose other paths are pages of this UI.
const adminApi =
  '^/admin/(x|init|information|login|logout|access-token|register|register-admin|registration-info|' +
  'forgot-password|reset-password|users|roles|permissions|api-tokens|webhooks|project-type)(/|\\?|$)'

// The sources by their whole path: the checkout may itself be in a folder called src.
const sources = fileURLToPath(new URL('./src/', import.meta.url))

const signedIn = `${sources}shell/signedIn.ts`

/** Names in the page what people load who are signed in, so that it comes beside the first script. */
const signedInFiles: Plugin = {
  name: 'signed-in-files',
  transformIndexHtml: {
    order: 'post',
    handler: (page, { bundle = {} }) => {
      const scripts = new Set<string>()
      const styles = new Set<string>()
      const add = (name: string) => {
        const chunk = bundle[name]
        if (chunk?.type !== 'chunk' || scripts.has(name)) return
        scripts.add(name)
        for (const style of chunk.viteMetadata?.importedCss ?? []) styles.add(style)
        chunk.imports.forEach(add)
      }
      for (const [name, chunk] of Object.entries(bundle)) {
        if (chunk.type === 'chunk' && chunk.facadeModuleId === signedIn) add(name)
      }
      const files = [
        ...[...scripts].map((name) => ['modulepreload', 'script', name]),
        ...[...styles].map((name) => ['preload', 'style', name]),
      ].filter(([, , name]) => !page.includes(`"/admin/${name}"`))
      return page.replace('SIGNED_IN_FILES', JSON.stringify(files.map(([rel, as, name]) => [rel, as, `/admin/${name}`])))
    },
  },
}

export default defineConfig({
  base: '/admin/',
  plugins: [react(), signedInFiles],
  build: {
    outDir: '../src/quire/static/admin',
    emptyOutDir: true,
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        // A few files for what screens share: two hundred small ones take longer to load than to run.
        codeSplitting: {
          groups: [
            { name: 'libraries', tags: ['$initial'], test: /node_modules|rolldown\/runtime/ },
            { name: 'frame', tags: ['$initial'] },
            // What registrations share with the settings, which they do not load.
            { name: 'account', test: /\/auth\/(passwords|NewPassword|linkParameter)\.tsx?$/ },
            // With all that it imports and that the first page has not loaded.
            { name: 'shell', test: (file) => file === signedIn },
            { name: 'controls', test: /node_modules\/(@dnd-kit|@floating-ui|@mantine|@tanstack|lucide-react)\//, minShareCount: 2 },
            {
              name: 'parts',
              test: (file) => file.startsWith(sources) && !/^(auth|i18n|settings)/.test(file.slice(sources.length)),
              minShareCount: 2,
            },
            { name: 'settings', test: (file) => file.startsWith(`${sources}settings/`) },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      [
        '/api',
        adminApi,
        '/content-manager',
        '/content-type-builder',
        '/i18n',
        '/upload',
        '/uploads',
        '/users-permissions',
        '/_health',
      ].map((path) => [path, { target: server, changeOrigin: false }]),
    ),
  },
})
