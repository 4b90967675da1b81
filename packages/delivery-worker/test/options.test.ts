import { spawnSync } from 'node:child_process'
import { integrationsOn, NOWHERE } from '@quickquote/dev-servers/host'
import { itRefuses, refusalOf } from '@quickquote/dev-servers/refusals'
import { describe, expect, it } from 'vitest'
import { createDeliveryWorker, type DeliveryWorkerOptions } from '../src/index.ts'

const integrations = integrationsOn(NOWHERE)

const create = (options: unknown) => createDeliveryWorker(options as DeliveryWorkerOptions)

const WRONG: [object, RegExp][] = [
  [{ integrations: undefined }, /integrations is missing: pass the result of createIntegrations/],
  [{ integrations: { storage: {} } }, /integrations is missing/],
  [{ concurrency: 0 }, /concurrency must be a whole number, from 1 to 10000/],
  [{ concurrency: '256' }, /concurrency must be/],
  [{ pollIntervalMs: Number.NaN }, /pollIntervalMs must be/],
  [{ pollIntervalMs: 2 ** 31 }, /pollIntervalMs must be a whole number, from 1 to 2147483647/],
  [{ heartbeatMs: -1 }, /heartbeatMs must be/],
  [{ heartbeatMs: 5000, deadAfterMs: 6000 }, /deadAfterMs must be at least twice heartbeatMs/],
  [{ socketsPerOrigin: 1.5 }, /socketsPerOrigin must be/],
  [{ socketsPerOrigin: 1e6 }, /socketsPerOrigin must be .* to 10000/],
  [{ ca: 5 }, /ca must be certificates in PEM/],
  [{ ca: '/etc/ssl/ca.pem' }, /ca must be .*, not a path/],
  [{ pipelineStarts: 'off' }, /pipelineStarts must be true or false/],
  [{ health: 8081 }, /health must be an object/],
  [{ health: { port: 70_000 } }, /health\.port must be a whole number, from 0 to 65535/],
  [{ health: { port: 8081, host: 127 } }, /health\.host must be an address/],
  [{ health: { prot: 8081 } }, /prot is not an option\. Did you mean port\?/],
  [{ concurency: 5 }, /concurency is not an option\. Did you mean concurrency\?/],
]

describe('createDeliveryWorker', () => {
  itRefuses((wrong) => create({ integrations, ...wrong }), WRONG, { owner: 'createDeliveryWorker: ' })

  it('takes the lease of the integrations, unless it has its own', async () => {
    const leased = {
      ...integrations,
      settings: { ...integrations.settings, lease: { heartbeatMs: 100, deadAfterMs: 200 } },
    }
    const refusal = await refusalOf(() => create({ integrations: leased, heartbeatMs: 101 }))
    expect(refusal).toMatch(/deadAfterMs must be at least twice/)
    expect(() => create({ integrations: leased, heartbeatMs: 101, deadAfterMs: 202 })).not.toThrow()
  })

  it('refuses a call without options', async () => {
    expect(await refusalOf(() => create(undefined))).toMatch(/createDeliveryWorker must be an object with/)
  })

  it('treats undefined as an omitted option', () => {
    expect(() => create({ integrations, concurrency: undefined, ca: undefined })).not.toThrow()
  })

  it('refuses to run on Bun, whose undici could send nothing', ({ skip }) => {
    // A developer's machine without it skips this; CI must have it.
    if (process.env['CI'] === undefined)
      skip(spawnSync('bun', ['--version']).status !== 0, 'Bun is not installed')
    const { href } = new URL('../dist/index.js', import.meta.url)
    const program = `import { createDeliveryWorker } from '${href}'; createDeliveryWorker({})`
    const { stderr } = spawnSync('bun', ['-e', program], { encoding: 'utf8' })
    expect(stderr).toContain('ConfigurationError: createDeliveryWorker: the worker does not run on Bun')
  })
})
