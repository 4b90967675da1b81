import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Installed } from './installed.ts'

const guide = readFileSync(resolve(import.meta.dirname, '../../docs/guides/host.md'), 'utf8')
const [, overrides = ''] = /```json\n(\{ "overrides":[\s\S]*?)```/.exec(guide) ?? []

/** A dry run of npm. */
function installStrictly({ folder }: Installed): { status: number | null; said: string } {
  const args = ['install', '--engine-strict', '--dry-run', '--no-audit', '--no-fund', '--prefer-offline']
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  return { status, said: stderr }
}

interface Lock {
  readonly packages: Record<string, { engines?: { node?: string }; dependencies?: Record<string, string> }>
}

function lockOf({ folder }: Installed): Lock {
  return JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
}

/** The folders of these packages and of all that they depend on. */
function closureOf({ packages }: Lock, names: readonly string[], from = '', found = new Set<string>()) {
  for (const name of names) {
    let folder = from
    while (folder !== '' && packages[`${folder}/node_modules/${name}`] === undefined)
      folder = folder.includes('/node_modules/') ? folder.slice(0, folder.lastIndexOf('/node_modules/')) : ''
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (found.has(path)) continue
    found.add(path)
    closureOf({ packages }, Object.keys(packages[path]?.dependencies ?? {}), path, found)
  }
  return found
}

const isNode20 = process.version.startsWith('v20.')

/** Reinstall with overrides, so these tests must be last. */
export function enginesTests(installed: () => Installed): void {
  describe('npm install --engine-strict, of all our packages beside Fastify', () => {
    it('fails on Node 20 for the library that the guide names, and nowhere else', {
      timeout: 600_000,
    }, () => {
      const lock = lockOf(installed())
      const tooNew = Object.entries(lock.packages)
        .filter(
          ([, { engines }]) => />=\s*2[1-9]/.test(engines?.node ?? '') && !/20/.test(engines?.node ?? ''),
        )
        .map(([path]) => path.split('node_modules/').at(-1))
      expect(tooNew.sort()).toEqual(['cookie'])
      for (const name of tooNew) expect(guide).toContain(`\`${name}\``)

      const { status, said } = installStrictly(installed())
      if (isNode20) expect(said).toMatch(/EBADENGINE[\s\S]*cookie@/)
      else expect([status, said]).toEqual([0, expect.any(String)])
    })

    it('brings at most 76 packages for an API and a worker, Fastify, drizzle and postgres included', () => {
      const ours = ['core', 'storage-drizzle', 'fastify-integrations', 'delivery-worker']
      const all = closureOf(lockOf(installed()), [
        ...['fastify', 'drizzle-orm', 'postgres'],
        ...ours.map((name) => `@quickquote/${name}`),
      ])
      expect(all.size, [...all].sort().join('\n')).toBeLessThanOrEqual(76)
      expect(all.size).toBeGreaterThan(60)
    })

    it('works on every Node with the overrides of the guide, and so does the library', {
      timeout: 300_000,
    }, () => {
      const manifest = JSON.parse(readFileSync(join(installed().folder, 'package.json'), 'utf8'))
      installed().write('package.json', JSON.stringify({ ...manifest, ...JSON.parse(overrides) }))
      const args = ['install', '--engine-strict', '--no-audit', '--no-fund', '--prefer-offline']
      // npm keeps its lock file where it can; a host that adds overrides must remove it, too.
      execFileSync('rm', ['-rf', 'node_modules', 'package-lock.json'], { cwd: installed().folder })
      execFileSync('npm', args, { cwd: installed().folder, stdio: 'pipe' })
      installed().write(
        'boots.mjs',
        `import Fastify from 'fastify'
       import { createIntegrations } from '@quickquote/core'
       import { fastifyIntegrations } from '@quickquote/fastify-integrations'
       import { drizzleStorage } from '@quickquote/storage-drizzle'
       const storage = drizzleStorage({ connectionString: 'postgres://nobody@127.0.0.1:9/none' })
       const pipeline = { start: async () => {}, signDocumentUrl: async () => ({}) }
       const encryptionKeys = [{ id: '2026', key: Buffer.alloc(32, 7) }]
       const integrations = createIntegrations({ storage, pipeline, encryptionKeys, logger: console })
       const app = Fastify()
       await app.register(fastifyIntegrations, { integrations, resolveSession: () => null })
       const page = await app.inject({ url: '/api-docs', cookies: { session: 'a b' } })
       const [, path] = /<script defer src="\\.(.*?)"/.exec(page.body)
       const script = await app.inject(path)
       process.stdout.write(page.statusCode + ' ' + script.statusCode)
       await app.close()`,
      )
      const said = execFileSync('node', ['boots.mjs'], { cwd: installed().folder, encoding: 'utf8' })
      expect(said).toMatch(/200 200$/)
    })
  })
}
