import { spawnSync } from 'node:child_process'
import { ConfigurationError } from '@quickquote/core'
import { integrationsOn, NOWHERE } from '@quickquote/dev-servers/host'
import { describe, expect, it } from 'vitest'
import { createDeliveryWorker, type DeliveryWorkerOptions } from '../src/index.ts'

const integrations = integrationsOn(NOWHERE)

function refusalOf(options: unknown): string {
  try {
    createDeliveryWorker(options as DeliveryWorkerOptions)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
  throw new Error('nothing was refused')
}

const WRONG: [object, RegExp][] = [
  [{ integrations: undefined }, /integrations is missing: pass the result of createIntegrations/],
  [{ integrations: { storage: {} } }, /integrations is missing/],
  [{ concurrency: 0 }, /concurrency must be a whole number, 1 or more/],
  [{ concurrency: '256' }, /concurrency must be/],
  [{ pollIntervalMs: Number.NaN }, /pollIntervalMs must be/],
  [{ pollIntervalMs: 2 ** 31 }, /pollIntervalMs must be a whole number, from 1 to 2147483647/],
  [{ heartbeatMs: -1 }, /heartbeatMs must be/],
  [{ heartbeatMs: 5000, deadAfterMs: 6000 }, /deadAfterMs must be at least twice heartbeatMs/],
  [{ socketsPerOrigin: 1.5 }, /socketsPerOrigin must be/],
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
  it.each(WRONG)('refuses %j', (wrong, message) => {
    expect(refusalOf({ integrations, ...wrong })).toMatch(message)
  })

  it('refuses invalid values for every option', () => {
    const names = refusalOf({ '': 1 })
      .replace(/^.*Options: |\.$/g, '')
      .split(', ')
    const tried = new Set(WRONG.flatMap(([wrong]) => Object.keys(wrong)))
    expect(names.filter((name) => !tried.has(name))).toEqual([])
  })

  it('takes the lease of the integrations, unless it has its own', () => {
    const leased = {
      ...integrations,
      settings: { ...integrations.settings, lease: { heartbeatMs: 100, deadAfterMs: 200 } },
    }
    expect(refusalOf({ integrations: leased, heartbeatMs: 101 })).toMatch(
      /deadAfterMs must be at least twice/,
    )
    expect(() =>
      createDeliveryWorker({ integrations: leased, heartbeatMs: 101, deadAfterMs: 202 }),
    ).not.toThrow()
  })

  it('refuses a call without options', () => {
    expect(refusalOf(undefined)).toMatch(/createDeliveryWorker must be an object with/)
  })

  it('treats undefined as an omitted option', () => {
    const options = {
      integrations,
      concurrency: undefined,
      ca: undefined,
    } as unknown as DeliveryWorkerOptions
    expect(() => createDeliveryWorker(options)).not.toThrow()
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
