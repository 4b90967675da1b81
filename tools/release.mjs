// Prepares a release of all packages, which share one version:
//   release 1.2.0      writes the version, the changelog and the reference pages, commits and tags; publishes nothing
//   release manifests  copies the repository's address from package.json into every published package
//   release --dry-run  packs every package and runs all of publishing except the upload; CI runs this
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const MANIFEST = 'package.json'
const CHANGELOG = 'CHANGELOG.md'
const VERSION = 'packages/core/src/lib/version.ts'
const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m

const [argument, ...others] = process.argv.slice(2)
if (others.length > 0 || argument === undefined) fail('Usage: release <version> | manifests | --dry-run')
else if (argument === 'manifests') writeManifests()
else if (argument === '--dry-run') publishDry()
else release(argument)

function release(version) {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) fail(`${version} is not a version, such as 1.2.0`)
  const tag = `v${version}`
  if (git('tag', '--list', tag) !== '') fail(`The tag ${tag} already exists.`)
  if (git('status', '--porcelain') !== '') fail('Commit or remove your changes first.')
  if (new URL(webAddress()).hostname.endsWith('.example.com'))
    fail('repository.url in package.json is a placeholder. Set it, then run: release manifests')
  const changelog = readFileSync(join(ROOT, CHANGELOG), 'utf8')
  const notes = UNRELEASED.exec(changelog)?.[1]?.trim() ?? ''
  if (notes === '') fail(`${CHANGELOG} has nothing under "## Unreleased".`)

  const day = new Date().toISOString().slice(0, 10)
  writeFileSync(
    join(ROOT, CHANGELOG),
    changelog.replace(UNRELEASED, () => `## Unreleased\n\n## ${version} - ${day}\n\n${notes}\n\n`).trimEnd() +
      '\n',
  )
  writeManifests(version)
  writeFileSync(
    join(ROOT, VERSION),
    readFileSync(join(ROOT, VERSION), 'utf8').replace(/(?<=version = ').*(?=')/, version),
  )
  // The OpenAPI document contains the version.
  execFileSync('npm', ['run', 'reference'], { cwd: ROOT, stdio: 'inherit' })
  git('commit', '--all', '--message', `Release ${version}`)
  git('tag', '--annotate', tag, '--message', tag)
  console.log(`Committed and tagged ${tag}. Publish it: git push --follow-tags`)
}

/** Writes the version into every package, and the repository's address into published ones. */
function writeManifests(version) {
  const web = webAddress()
  const { repository } = read(MANIFEST)
  for (const path of manifests()) {
    const manifest = read(path)
    const directory = path.replace(`/${MANIFEST}`, '')
    if (version !== undefined) manifest.version = version
    if (manifest.private !== true) {
      manifest.homepage = `${web}/tree/main/${directory}#readme`
      manifest.bugs = `${web}/issues`
      manifest.repository = { ...repository, directory }
    }
    writeFileSync(join(ROOT, path), `${JSON.stringify(manifest, null, 2)}\n`)
  }
}

/** pnpm writes the versions of the workspace into each tarball; nothing is uploaded. */
function publishDry() {
  const pnpm = ['-y', 'pnpm@12.21.0', 'publish', '--recursive', '--dry-run', '--no-git-checks']
  execFileSync('npx', pnpm, { cwd: ROOT, stdio: 'inherit' })
}

function manifests() {
  const inside = ['packages', 'examples'].flatMap((folder) => {
    return existsSync(join(ROOT, folder))
      ? readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)
      : []
  })
  return ['.', 'e2e', ...inside]
    .map((folder) => join(folder, MANIFEST))
    .filter((path) => existsSync(join(ROOT, path)))
}

/** The repository's address for browsers, from `repository.url` of the root. */
function webAddress() {
  return read(MANIFEST).repository.url.replace(/^git\+|\.git$/g, '')
}

function read(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}

function git(...command) {
  return execFileSync('git', command, { cwd: ROOT, encoding: 'utf8' }).trim()
}

function fail(message) {
  console.error(message)
  process.exit(2)
}
