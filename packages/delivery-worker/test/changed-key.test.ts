import { randomBytes } from 'node:crypto'
import { type EncryptionKey, IntegrationError } from '@quickquote/core'
import { adminOf, hostOptions } from '@quickquote/dev-servers/host'
import { describe, expect, it } from 'vitest'
import {
  certificate,
  type Host,
  type HostOptions,
  NO_WAITING,
  ORGANIZATION,
  openHost,
  openReceiver,
} from './support/host.ts'

const ADMIN = adminOf(ORGANIZATION)
const RIGHT = hostOptions.encryptionKeys
/** Another key, under the same id. */
const CHANGED: EncryptionKey = { id: 'test', key: Buffer.alloc(32, 8) }

const delivery = { ...NO_WAITING, maxAttempts: 2 }
const openWith = (options: HostOptions = {}) => openHost({ delivery, ...options })

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof IntegrationError ? error.code : String(error)
}

/** Waits until the only delivery has been postponed without an attempt. */
async function postponed({ attempts, pending }: Host): Promise<void> {
  const waits = async () => (await pending()).map(({ due_at }) => due_at.getTime() > Date.now() + 30_000)
  await expect.poll(waits).toEqual([true])
  expect(await pending()).toMatchObject([{ attempt: 0, leased_by: null }])
  expect(await attempts()).toEqual([])
}

const notReady = (secrets: number) => ({
  ready: false,
  reasons: [`the encryption key "test" has changed: ${secrets} endpoint secrets need the previous one`],
})

describe('A worker whose encryption key has changed under the same id', () => {
  it.each([
    ['known from its check value', async () => {}],
    ['known only from what it encrypted', ({ sql }: Host) => sql`delete from quickquote.encryption_keys`],
  ])(
    'is not ready, names the key, and postpones deliveries: a worker with the key sends (%s)',
    async (_, prepare) => {
      const partner = await openReceiver()
      const host = await openWith()
      await host.createEndpoint(partner.url)
      await prepare(host)
      const { databaseUrl } = host
      const changed = await openWith({ databaseUrl, encryptionKeys: [CHANGED] })
      const wrong = changed.createWorker({ ca: certificate.cert })
      await wrong.start()
      expect(changed.logs).toContainEqual(
        expect.objectContaining({ level: 'error', fields: { secrets_by_key: { test: 1 } } }),
      )
      expect(wrong.health()).toMatchObject(notReady(1))

      await host.finishStep()
      await postponed(host)
      await wrong.stop()
      await host.sql`update quickquote.deliveries set due_at = now()`
      const right = host.createWorker({ ca: certificate.cert })
      await right.start()
      expect(right.health()).toMatchObject({ ready: true, reasons: [] })
      await partner.waitFor(1)
      await expect.poll(host.attempts).toMatchObject([{ attempt: 1, status: 'succeeded' }])
    },
  )

  it('notices at the first delivery if the key is used only after its start', async () => {
    const partner = await openReceiver()
    const host = await openWith()
    const changed = await openWith({ databaseUrl: host.databaseUrl, encryptionKeys: [CHANGED] })
    const worker = changed.createWorker({ ca: certificate.cert })
    await worker.start()
    expect(worker.health()).toMatchObject({ ready: true })
    await host.createEndpoint(partner.url)
    await host.finishStep()
    await postponed(host)
    expect(worker.health()).toMatchObject(notReady(1))
  })

  it('still records a secret that is damaged as a failed attempt', async () => {
    const partner = await openReceiver()
    const host = await openWith()
    await host.createEndpoint(partner.url)
    await host.sql`update quickquote.webhook_endpoints
      set secret_ciphertext = overlay(secret_ciphertext placing '\\x00'::bytea from 30)`
    await host.createWorker({ ca: certificate.cert }).start()
    await host.finishStep()
    await expect.poll(host.attempts).toMatchObject([{ status: 'failed' }, { status: 'exhausted' }])
  })
})

describe('A process whose encryption key has changed under the same id', () => {
  it('encrypts nothing with it: new endpoints, rotations, headers and re-encryption are refused', async () => {
    const host = await openWith()
    const { id } = await host.createEndpoint('https://127.0.0.1:9/')
    const changed = await openWith({ databaseUrl: host.databaseUrl, encryptionKeys: [CHANGED] })
    const { webhookEndpoints } = changed.integrations
    const rows = () => host.sql`select * from quickquote.webhook_endpoints`
    const before = await rows()
    const create = changed.createEndpoint('https://127.0.0.1:9/')
    expect(await codeOf(create)).toBe('SERVICE_UNAVAILABLE')
    expect(await codeOf(webhookEndpoints.rotateSecret(ADMIN, id))).toBe('SERVICE_UNAVAILABLE')
    const headers = { Authorization: 'Bearer of-the-gateway' }
    expect(await codeOf(webhookEndpoints.update(ADMIN, id, { headers }))).toBe('SERVICE_UNAVAILABLE')
    expect(await codeOf(changed.integrations.reencryptSecrets())).toBe('SERVICE_UNAVAILABLE')
    expect(await rows()).toEqual(before)
    expect(changed.logs).toContainEqual(
      expect.objectContaining({ level: 'error', fields: { key_id: 'test' } }),
    )
    // What needs no key is possible.
    expect(await webhookEndpoints.update(ADMIN, id, { name: 'CRM' })).toMatchObject({ name: 'CRM' })
  })

  it('is refused as well if no check value is stored yet', async () => {
    const host = await openWith()
    await host.createEndpoint('https://127.0.0.1:9/')
    await host.sql`delete from quickquote.encryption_keys`
    const changed = await openWith({ databaseUrl: host.databaseUrl, encryptionKeys: [CHANGED] })
    expect(await codeOf(changed.createEndpoint('https://127.0.0.1:9/'))).toBe('SERVICE_UNAVAILABLE')
    await host.createEndpoint('https://127.0.0.1:9/')
    expect(await host.sql`select id from quickquote.encryption_keys`).toEqual([{ id: 'test' }])
  })

  it('may use it as long as nothing is encrypted with the key before', async () => {
    const host = await openWith()
    const { id } = await host.createEndpoint('https://127.0.0.1:9/')
    await host.integrations.webhookEndpoints.delete(ADMIN, id)
    const changed = await openWith({ databaseUrl: host.databaseUrl, encryptionKeys: [CHANGED] })
    await changed.createEndpoint('https://127.0.0.1:9/')
    expect(await codeOf(host.createEndpoint('https://127.0.0.1:9/'))).toBe('SERVICE_UNAVAILABLE')
  })

  it('loses against all others if several start at once with different keys', async () => {
    const first = await openWith({ encryptionKeys: [{ id: 'test', key: randomBytes(32) }] })
    const hosts = [first]
    for (let count = 0; count < 4; count += 1) {
      const encryptionKeys = [{ id: 'test', key: randomBytes(32) }]
      hosts.push(await openWith({ databaseUrl: first.databaseUrl, encryptionKeys }))
    }
    const creations = hosts
      .flatMap((host) => [host, host])
      .map(async (host) => {
        const code = await codeOf(host.createEndpoint('https://127.0.0.1:9/'))
        return code === 'undefined' ? host : code
      })
    const results = await Promise.all(creations)
    const winners = new Set(results.filter((result) => typeof result !== 'string'))
    expect(winners.size).toBe(1)
    expect(results.filter((result) => result === 'SERVICE_UNAVAILABLE')).toHaveLength(8)
  })
})

it('a replaced key is checked by its own id, before and after re-encryption', async () => {
  const host = await openWith()
  await host.createEndpoint('https://127.0.0.1:9/')
  const newer: EncryptionKey = { id: 'newer', key: randomBytes(32) }
  const { databaseUrl } = host
  const both = await openWith({ databaseUrl, encryptionKeys: [newer, ...RIGHT] })
  expect(await both.integrations.reencryptSecrets()).toMatchObject({
    reencrypted: { test: 1 },
    remaining: {},
  })
  const other: EncryptionKey = { id: 'newer', key: randomBytes(32) }
  const changed = await openWith({ databaseUrl, encryptionKeys: [...RIGHT, other] })
  const worker = changed.createWorker()
  await worker.start()
  expect(worker.health()).toMatchObject({
    reasons: ['the encryption key "newer" has changed: 1 endpoint secrets need the previous one'],
  })
  const alone = await openWith({ databaseUrl, encryptionKeys: [newer] })
  const ready = alone.createWorker()
  await ready.start()
  expect(ready.health()).toMatchObject({ ready: true, reasons: [] })
})
