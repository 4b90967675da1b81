import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll } from 'vitest'

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))
const LATER = fileURLToPath(new URL('../later', import.meta.url))

/** A later version of the package: the current build, with the additional migrations in `later/`. */
export interface LaterVersion {
  /** Its command line, for a process and for a call. */
  readonly cli: string
  readonly main: typeof import('../../src/cli.ts').main
  /** Its migrations, by file name. */
  readonly migrations: Readonly<Record<string, string>>
  readonly drizzleStorage: typeof import('../../src/index.ts').drizzleStorage
}

/**
 * Creates it for the calling test file, in a folder that is deleted after the file.
 * @param hasMigrations false: only its functions differ
 */
export async function laterVersion({ hasMigrations = true } = {}): Promise<LaterVersion> {
  const folder = mkdtempSync(join(tmpdir(), 'quickquote-later-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  for (const part of ['bin', 'dist', 'migrations', 'package.json']) {
    cpSync(join(PACKAGE, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'))
  const isMigration = (path: string) => dirname(path) === LATER && path.endsWith('.sql')
  const filter = (path: string) => hasMigrations || !isMigration(path)
  cpSync(LATER, join(folder, 'migrations'), { recursive: true, filter })
  const load = (file: string) => import(pathToFileURL(join(folder, file)).href)
  const [{ drizzleStorage }, { main }] = [await load('dist/index.js'), await load('dist/cli.js')]
  return {
    cli: join(folder, 'bin/quickquote-storage.js'),
    main,
    migrations: (await load('migrations/index.js')).files,
    drizzleStorage,
  }
}
