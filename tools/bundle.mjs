// Bundles the package of this folder into dist/bundle, from where the packed package exports it: a file for each entry,
// and what they share. Node reads and compiles a few files faster than hundreds. Libraries that are no dependencies of
// the package are included, with their licenses. Runs before the package is packed; the tests load the files of dist.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { build } from 'esbuild'

const OUT = 'dist/bundle'
const {
  exports,
  publishConfig,
  dependencies = {},
  peerDependencies = {},
} = JSON.parse(readFileSync('package.json', 'utf8'))
const packed = [
  ...Object.values(publishConfig.exports ?? exports),
  ...Object.values(publishConfig.imports ?? {}),
]
const entries = packed
  .map((target) => target.default ?? target)
  .filter((file) => file.startsWith(`./${OUT}/`))
  .map((file) => `src/${entryOf(file)}.ts`)

const { outputFiles, metafile } = await build({
  entryPoints: entries,
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  outdir: OUT,
  external: [
    '#*',
    ...Object.keys({ ...dependencies, ...peerDependencies }).flatMap((name) => [name, `${name}/*`]),
  ],
  plugins: [{ name: 'builtins', setup: importBuiltins }],
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  write: false,
})
mkdirSync(OUT, { recursive: true })
const made = new Set(outputFiles.map(({ path }) => basename(path)))
for (const name of readdirSync(OUT))
  if (/\.(js|map)$/.test(name) && !made.has(name)) rmSync(join(OUT, name), { force: true })
for (const { path, contents } of outputFiles) write(path, contents)
const licenses = [...new Set(Object.keys(metafile.inputs).flatMap((file) => libraryOf(file) ?? []))].map(
  licenseOf,
)
if (licenses.length > 0) write(join(OUT, 'LICENSES.txt'), licenses.join('\n'))

/** Modules of Node that a CommonJS library requires are imported: an ES module has no `require`. */
function importBuiltins({ onResolve, onLoad }) {
  const namespace = 'builtin'
  onResolve({ filter: /^[a-z:_/]+$/ }, ({ path, kind }) =>
    kind === 'require-call' && isBuiltin(path) ? { path, namespace } : undefined,
  )
  onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: `export * from ${JSON.stringify(path)}` }))
}

function entryOf(file) {
  const name = basename(file, '.js')
  return existsSync(`src/${name}.ts`) ? name : `program/${name}`
}

function libraryOf(file) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]
}

/** What the library publishes: its license, or only the name of one. */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  return `${name} ${version}\n\n${file === undefined ? `License: ${license}\n` : readFileSync(join(folder, file), 'utf8')}`
}

/** Atomically, because a package may be packed twice at once. */
function write(path, content) {
  const target = resolve(path)
  writeFileSync(`${target}.${process.pid}`, content)
  renameSync(`${target}.${process.pid}`, target)
}
