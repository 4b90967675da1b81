import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import type postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { connectionLossTests } from '../../packages/storage-drizzle/test/support/connection-loss.ts'
import type { Installed } from './installed.ts'

const bundled = '@quickquote/storage-drizzle/dist/driver/src'

/** The driver as this repository patches it. */
const ours = new URL('.', import.meta.resolve('postgres'))

/** @param installed beside the packages: postgres, as published */
export function driverTests(installed: () => Installed): void {
  const modules = (path: string) => join(installed().folder, 'node_modules', path)

  function importInstalled<T>(path: string): Promise<T> {
    return import(/* @vite-ignore */ pathToFileURL(modules(path)).href)
  }

  const loadStorage = () =>
    importInstalled<typeof import('@quickquote/storage-drizzle')>(
      '@quickquote/storage-drizzle/dist/bundle/index.js',
    )

  describe('The storage that npm installs from its tarball', () => {
    it('contains the whole driver with our patch and its license, and takes its types from the published package', () => {
      for (const name of readdirSync(ours)) {
        expect(readFileSync(modules(`${bundled}/${name}`), 'utf8'), name).toBe(
          readFileSync(new URL(name, ours), 'utf8'),
        )
      }
      const manifest = JSON.parse(readFileSync(modules(`${bundled}/../package.json`), 'utf8'))
      expect(manifest).toMatchObject({ name: 'postgres', version: '3.4.9', license: 'Unlicense' })
      expect(readdirSync(modules(`${bundled}/..`)).sort()).toEqual(['package.json', 'src'])
    })

    it("defines its tables with the host's only copy of drizzle-orm", () => {
      const { version } = JSON.parse(readFileSync(modules('drizzle-orm/package.json'), 'utf8'))
      expect(version).toMatch(/^0\.45\./)
      expect(existsSync(modules('@quickquote/storage-drizzle/node_modules/drizzle-orm'))).toBe(false)
      const manifest = JSON.parse(readFileSync(modules('@quickquote/storage-drizzle/package.json'), 'utf8'))
      expect(manifest.peerDependencies).toEqual({ 'drizzle-orm': '^0.45.4' })
    })

    it("does not change a host's own client, a separate module that works with the storage", async () => {
      expect(readFileSync(modules('postgres/src/connection.js'), 'utf8')).not.toBe(
        readFileSync(new URL('connection.js', ours), 'utf8'),
      )
      const { default: connect } = await importInstalled<{ default: typeof postgres }>(
        'postgres/src/index.js',
      )
      const { drizzleStorage } = await loadStorage()
      const database = await emptyDatabase()
      const sql = connect(database.url, { max: 2 })
      const storage = drizzleStorage({ sql })
      await storage.migrate()
      const id = '0198b2a0-0000-7000-8000-000000000001'
      await sql.begin(async (transaction) => {
        expect(await storage.within(transaction).quotations.find(id, id)).toBe('unknown')
      })
      await storage.close()
      await sql.end()
      await database.drop()
    })
  })

  describe('A lost connection of the installed storage', () => connectionLossTests(loadStorage))
}
