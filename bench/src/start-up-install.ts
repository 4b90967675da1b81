import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installed } from '@quickquote/dev-servers'

const run = promisify(execFile)

/** What a host on PostgreSQL installs. */
interface Modules {
  readonly fastify: typeof import('fastify')
  readonly postgres: typeof import('postgres')
  readonly 'drizzle-orm/postgres-js': typeof import('drizzle-orm/postgres-js')
  readonly '@quickquote/core': typeof import('@quickquote/core')
  readonly '@quickquote/storage-drizzle': typeof import('@quickquote/storage-drizzle')
  readonly '@quickquote/fastify-integrations': typeof import('@quickquote/fastify-integrations')
  readonly '@quickquote/delivery-worker': typeof import('@quickquote/delivery-worker')
}

/** Imports from the folder in which it is. */
export type Import = <N extends keyof Modules>(name: N) => Promise<Modules[N]>

const OURS = ['core', 'storage-drizzle', 'fastify-integrations', 'delivery-worker', 'webhook-signature']
const OF_HOSTS = ['fastify@5', 'drizzle-orm@0.45', 'postgres@3.4.9']

/** Installs the packages of a built checkout as a host does: packed, with `import.js`, an `Import`. */
export async function installFrom(checkout: string) {
  const tarballs = await mkdtemp(join(tmpdir(), 'quickquote-packed-'))
  try {
    const filters = OURS.flatMap((name) => ['--filter', `@quickquote/${name}`])
    const pack = ['--recursive', ...filters, 'pack', '--pack-destination', tarballs]
    await run('npx', ['-y', 'pnpm@12.21.0', ...pack], { cwd: checkout })
    const files = (await readdir(tarballs)).map((name) => join(tarballs, name))
    const { folder, remove } = await installed([...files, ...OF_HOSTS])
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    await writeFile(join(folder, 'import.js'), 'export default (name) => import(name)\n')
    return { folder, remove }
  } finally {
    await rm(tarballs, { recursive: true, force: true })
  }
}
