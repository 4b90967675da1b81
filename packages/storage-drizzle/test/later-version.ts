import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll } from 'vitest'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const LATER = fileURLToPath(new URL('./later', import.meta.url))

/** A later version of the package: the current build, with the additional migrations in `later/`. */
export interface LaterVersion {
  /** Its command line, for a process and for a call. */
  readonly cli: string
  readonly main: typeof import('../src/cli.ts').main
  /** The folder of its migrations. */
  readonly migrations: URL
  readonly drizzleStorage: typeof import('../src/index.ts').drizzleStorage
}

/** Creates it for the calling test file, in a folder that is deleted after the file. */
export async function laterVersion(): Promise<LaterVersion> {
  const folder = mkdtempSync(join(tmpdir(), 'quickquote-later-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  for (const part of ['bin', 'dist', 'migrations', 'package.json']) {
    cpSync(join(PACKAGE, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'))
  const migrations = join(folder, 'migrations')
  cpSync(LATER, migrations, { recursive: true })
  const load = (file: string) => import(pathToFileURL(join(folder, 'dist', file)).href)
  const [{ drizzleStorage }, { main }] = [await load('index.js'), await load('cli.js')]
  return {
    cli: join(folder, 'bin/quickquote-storage.js'),
    main,
    migrations: pathToFileURL(`${migrations}/`),
    drizzleStorage,
  }
}
