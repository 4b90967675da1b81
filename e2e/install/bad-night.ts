import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createCertificate, scratchFolder, startPostgres } from '@quickquote/dev-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Installed } from './installed.ts'

/** The module of a worker whose keys are named by KEYS. */
const INTEGRATIONS = `import { createIntegrations } from '@quickquote/core'
import { drizzleStorage } from '@quickquote/storage-drizzle'
export const integrations = createIntegrations({
  storage: drizzleStorage({ connectionString: process.env.DATABASE_URL }),
  pipeline: { start: async () => {}, signDocumentUrl: async () => ({}) },
  encryptionKeys: process.env.KEYS.split(',').map((id) => ({ id, key: Buffer.alloc(32, id) })),
})
`

const ENDPOINT = `import { integrations } from './integrations.mjs'
const organizationId = '0197a000-0000-7000-8000-000000000001'
const admin = { memberId: 'me', organizationId, permissions: new Set(['manage_integrations']) }
const endpoint = { name: 'CRM', url: 'https://receiver.example/', events: ['quotation.completed'] }
await integrations.webhookEndpoints.create(admin, endpoint)
await integrations.close()
`

const HOUR_AHEAD = `const RealDate = Date
const now = () => RealDate.now() + 3_600_000
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given))
  }
  static now = now
}
`

const WORKER = 'node_modules/@quickquote/delivery-worker/bin/quickquote-worker.js'

/** An operator's bad night, with what npm installs. */
export function badNightTests(installed: () => Installed): void {
  describe('Installed from their tarballs, the worker and its doctor say what to do', () => {
    it('with a moved clock, without a key, with an expired certificate, without the database', async () => {
      const folder = await mkdtemp(join(scratchFolder(), 'quickquote-bad-night-'))
      // Its own, also with DATABASE_URL: it is stopped.
      const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), persistent: false })
      onTestFinished(async () => {
        await postgres.stop()
        await rm(folder, { recursive: true, force: true })
      })
      const [healthy, expired] = [await createCertificate(), await createCertificate(new Date(0))]
      installed().write('integrations.mjs', INTEGRATIONS)
      installed().write('endpoint.mjs', ENDPOINT)
      installed().write('hour-ahead.mjs', HOUR_AHEAD)
      installed().write('healthy.pem', healthy.cert)
      installed().write('expired.pem', expired.cert)
      const environment = {
        ...process.env,
        DATABASE_URL: await postgres.createDatabase(),
        KEYS: '1',
        QUICKQUOTE_HEALTH_PORT: '0',
        QUICKQUOTE_CA_FILE: 'healthy.pem',
      }
      const run = (args: string[], env: NodeJS.ProcessEnv = {}) =>
        spawnSync('node', args, {
          cwd: installed().folder,
          env: { ...environment, ...env },
          encoding: 'utf8',
        })
      const doctor = (env: NodeJS.ProcessEnv = {}) => {
        const { status, stdout } = run([WORKER, 'doctor', './integrations.mjs'], env)
        return { status, wrong: stdout.split('\n').filter((line) => /^(error|warning)/.test(line)) }
      }
      const startWorker = (env: NodeJS.ProcessEnv = {}) => {
        const worker = spawn('node', [WORKER, './integrations.mjs'], {
          cwd: installed().folder,
          env: { ...environment, ...env },
        })
        onTestFinished(() => void worker.kill('SIGKILL'))
        return linesOf(worker)
      }
      expect(
        run(['node_modules/@quickquote/storage-drizzle/bin/quickquote-storage.js', 'migrate']).status,
      ).toBe(0)
      expect(run(['endpoint.mjs']).status).toBe(0)
      expect(doctor().wrong).toEqual([expect.stringMatching(/No worker is running.* Start one with/)])

      const moved = { NODE_OPTIONS: '--import=./hour-ahead.mjs' }
      expect(doctor(moved)).toEqual({
        status: 1,
        wrong: expect.arrayContaining([
          expect.stringMatching(
            /The clock of this machine is 3\d{3} s ahead of the database.* Correct it \(NTP\)\./,
          ),
        ]),
      })
      await expect.poll(startWorker(moved)).toMatch(/the clock of this machine is wrong: correct it \(NTP\)/)

      const keyless = { KEYS: '2' }
      expect(doctor(keyless)).toEqual({
        status: 1,
        wrong: [expect.stringMatching(/The encryption key "1" is missing.* Add it back to `encryptionKeys`/)],
      })
      await expect.poll(startWorker(keyless)).toMatch(/encryption keys are missing.*: add the keys back/)

      expect(doctor({ QUICKQUOTE_CA_FILE: 'expired.pem' })).toEqual({
        status: 1,
        wrong: [expect.stringMatching(/The additional certificate .* expired on 197.* Replace it\./)],
      })

      const printed = startWorker()
      await expect.poll(() => doctor().wrong).toEqual([])
      await postgres.stop()
      await expect.poll(printed).toMatch(/the database/)
      expect(doctor()).toEqual({
        status: 1,
        wrong: [expect.stringMatching(/^error .*cannot be reached.*Check/)],
      })
    }, 300_000)
  })
}

/** Everything that a program has printed. */
function linesOf({ stdout, stderr }: ChildProcess): () => string {
  let printed = ''
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk) => {
      printed += chunk
    })
  }
  return () => printed
}
