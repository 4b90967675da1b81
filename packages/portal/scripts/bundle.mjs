// Makes the browser's part: the page and the element, out of `ui`. What is up to date is not made again.
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const REPOSITORY = join(PACKAGE, '../..')
const OUT = join(PACKAGE, 'dist/bundle')
const RECEIVERS = join(REPOSITORY, 'docs/receivers')
const GUIDE = join(REPOSITORY, 'docs/guides/receiving-webhooks.md')

/** The functions that verify in other languages, as the guide shows them. */
const SNIPPETS = {
  python: 'python/verify.py',
  go: 'go/verify.go',
  ruby: 'ruby/verify.rb',
  php: 'php/verify.php',
  java: 'java/Webhooks.java',
}

const NOTICE =
  '/*! @quickquote/portal (MIT). Includes Preact and Preact Signals (MIT, (c) Jason Miller and contributors). */'

if (isUpToDate()) process.exit()

// Vite would go by the environment: made within a test, the bundle was that of development, with paths of this machine in it.
process.env.NODE_ENV = 'production'
// Not before it is known that it is needed: loading it takes as long as all the rest.
const { build, runnerImport } = await import('vite')

const ELEMENT = join(PACKAGE, 'ui/element.tsx')

/** Served: the page and the element share their parts. */
const served = await bundle({
  input: { page: join(PACKAGE, 'ui/page.tsx'), element: ELEMENT },
  names: {
    entryFileNames: ({ name }) => (name === 'element' ? 'element.js' : '[name]-[hash].js'),
    chunkFileNames: ({ moduleIds }) =>
      `${moduleIds.some((id) => id.endsWith('app.tsx')) ? 'app' : '[name]'}-[hash].js`,
    assetFileNames: '[name]-[hash][extname]',
  },
})
/** For front ends with a bundler: one file. */
const [element] = await bundle({
  input: ELEMENT,
  names: { entryFileNames: 'element.js', codeSplitting: false },
})

const texts = await runnerImport(join(PACKAGE, 'ui/i18n/de.ts'), { configFile: false, root: PACKAGE })

mkdirSync(OUT, { recursive: true })
const page = served.find(({ isEntry, name }) => isEntry && name === 'page')
const { 'element.js': servedElement, ...files } = Object.fromEntries(
  served.map((file) => [file.fileName, withNotice(file)]),
)
const assets = {
  script: page.fileName,
  preloads: page.imports,
  style: served.find(({ fileName }) => fileName.endsWith('.css')).fileName,
  files,
  element: servedElement,
  // German has every key: those of English, and those of details that the API gives in English.
  messageKeys: Object.keys(texts.module.de),
}
write('element.js', withNotice(element))
write(
  'assets.js',
  Object.entries(assets)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`)
    .join(''),
)

function isUpToDate() {
  const made = statSync(join(OUT, 'assets.js'), { throwIfNoEntry: false })
  if (made === undefined) return false
  return [
    ...filesIn(join(PACKAGE, 'ui')),
    ...filesIn(RECEIVERS),
    GUIDE,
    fileURLToPath(import.meta.url),
  ].every((path) => statSync(path).mtimeMs < made.mtimeMs)
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

async function bundle({ input, names }) {
  const { output } = await build({
    configFile: false,
    root: PACKAGE,
    logLevel: 'warn',
    base: './',
    plugins: [snippets(), plainImports()],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2023',
      cssTarget: ['chrome123', 'safari17.5', 'firefox120'],
      modulePreload: false,
      // Below any prefix, from memory: nothing is inlined as data, and no path is absolute.
      assetsInlineLimit: 0,
      rolldownOptions: { input, output: names, preserveEntrySignatures: 'strict' },
    },
  })
  return output
}

/** `virtual:snippets`: the code of the guides, so that there is one of it. */
function snippets() {
  const id = 'virtual:snippets'
  return {
    name: 'snippets',
    resolveId: (wanted) => (wanted === id ? `\0${id}` : null),
    load(wanted) {
      if (wanted !== `\0${id}`) return null
      const js = /```js receiver\n([\s\S]*?)```/.exec(readFileSync(GUIDE, 'utf8'))?.[1]
      if (js === undefined) throw new Error('There is no receiver in the guide.')
      const others = Object.entries(SNIPPETS).map(([language, path]) => [
        language,
        readFileSync(join(RECEIVERS, path), 'utf8'),
      ])
      return `export const snippets = ${JSON.stringify({ js, ...Object.fromEntries(others) })}`
    },
  }
}

/** Vite's helper for what is imported later takes 2 KB, mostly for style sheets, of which there are none. */
function plainImports() {
  return {
    name: 'plain-imports',
    enforce: 'pre',
    load: (id) =>
      id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load()' : null,
  }
}

function withNotice(file) {
  if (file.type !== 'chunk') return String(file.source)
  return file.moduleIds.some((id) => id.includes('preact')) ? `${NOTICE}\n${file.code}` : file.code
}

/** Whole files only: two commands may make them at once. */
function write(name, content) {
  const target = join(OUT, name)
  const whole = `${target}.${process.pid}`
  writeFileSync(whole, content)
  renameSync(whole, target)
}
