import { randomBytes, randomUUID } from 'node:crypto'
import type { EncryptionKey, Integrations, Storage } from '@quickquote/core'
import { adminOf, integrationsOn, keepLogs } from '@quickquote/dev-servers/host'
import { lockWaiters } from '@quickquote/dev-servers/vitest'
import type { Sql, TransactionSql } from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from './support/database.ts'
import { sampleEvent } from './support/samples.ts'

const { logger, lines } = keepLogs()
const { sql, storage } = await openDatabase({ maxConnections: 6 })

beforeEach(() => void lines.splice(0))
afterEach(() => sql`delete from quickquote.webhook_endpoints`)

const encryptionKey = (id: string): EncryptionKey => ({ id, key: randomBytes(32) })
const [older, newer, lost] = [encryptionKey('older'), encryptionKey('newer'), encryptionKey('lost')]

/** The service of a host with these keys, newest first. */
function serviceWith(...encryptionKeys: EncryptionKey[]): Integrations {
  return serviceOn(storage, encryptionKeys)
}

function serviceOn(storage: Storage, encryptionKeys: EncryptionKey[]): Integrations {
  return integrationsOn(storage, { encryptionKeys, logger })
}

const admin = adminOf(randomUUID())

async function createEndpoint({ webhookEndpoints }: Integrations, member = admin, fields: object = {}) {
  const { id, secret } = await webhookEndpoints.create(member, {
    name: 'CRM',
    url: 'https://crm.example.com/hook',
    events: ['quotation.completed'],
    ...fields,
  })
  return { id, secret: secret.reveal() }
}

/** The secrets of an endpoint as read by a service with these keys. */
async function readSecrets(id: string, ...keys: EncryptionKey[]) {
  const [row] = await sql`select * from quickquote.webhook_endpoints where id = ${id}`
  const { keyring } = serviceWith(...keys).settings
  const read = (keyId: string | null, ciphertext: Buffer) =>
    keyId === null ? null : keyring.decrypt({ keyId, ciphertext }, id)
  return {
    secret: read(row?.['secret_key_id'], row?.['secret_ciphertext']),
    previous: row?.['previous_secrets'].map((each: { key_id: string; ciphertext: string }) =>
      read(each.key_id, Buffer.from(each.ciphertext, 'hex')),
    ),
    ends: row?.['previous_secrets'].map((each: { expires_at: string }) => Date.parse(each.expires_at)),
    version: row?.['version'],
    updated_at: row?.['updated_at'],
  }
}

describe('integrations.reencryptSecrets()', () => {
  it('encrypts every secret with the newest key, including previous secrets during an overlap; deleted endpoints have none', async () => {
    const before = serviceWith(older)
    const [plain, rotated, deleted] = [
      await createEndpoint(before),
      await createEndpoint(before),
      await createEndpoint(before),
    ]
    const rotate = () => before.webhookEndpoints.rotateSecret(admin, rotated.id, { overlap_seconds: 3600 })
    const between = await rotate()
    const { secret } = await rotate()
    const { ends } = await readSecrets(rotated.id, older)
    await before.webhookEndpoints.delete(admin, deleted.id)
    const { updated_at, version } = await readSecrets(plain.id, older)

    const both = serviceWith(newer, older)
    const current = await createEndpoint(both)
    expect(await both.reencryptSecrets()).toEqual({
      keyId: 'newer',
      reencrypted: { older: 4 },
      remaining: {},
    })

    expect(await readSecrets(plain.id, newer)).toEqual({
      secret: plain.secret,
      previous: [],
      ends: [],
      version: version + 1,
      updated_at,
    })
    expect(await readSecrets(rotated.id, newer)).toMatchObject({
      secret: secret.reveal(),
      previous: [between.secret.reveal(), rotated.secret],
      ends,
    })
    expect(await readSecrets(deleted.id, newer)).toMatchObject({ secret: null, previous: [] })
    expect(await readSecrets(current.id, newer)).toMatchObject({ secret: current.secret, version: 1 })
  })

  it('also encrypts the headers of endpoints, which stay the same', async () => {
    const headers = { Authorization: 'Bearer of-the-gateway', 'X-Zone': 'eu' }
    const { id } = await createEndpoint(serviceWith(older), admin, { headers })
    const both = serviceWith(newer, older)
    // The secret already has the new key, the headers do not.
    await both.webhookEndpoints.rotateSecret(admin, id)
    expect(await both.reencryptSecrets()).toEqual({
      keyId: 'newer',
      reencrypted: { older: 1 },
      remaining: {},
    })
    const [row] =
      await sql`select headers_key_id, headers_ciphertext from quickquote.webhook_endpoints where id = ${id}`
    const encrypted = { keyId: row?.['headers_key_id'], ciphertext: row?.['headers_ciphertext'] }
    const decrypted = serviceWith(newer).settings.keyring.decrypt(encrypted, `headers of ${id}`)
    expect(JSON.parse(decrypted)).toEqual(Object.entries(headers))
  })

  it('an update that merges headers is refused without their key, and changes nothing', async () => {
    const { id } = await createEndpoint(serviceWith(lost), admin, { headers: { 'X-Zone': 'eu' } })
    const { webhookEndpoints } = serviceWith(newer)
    const changes = { name: 'Changed', headers: { 'X-Other': 'x' } }
    await expect(webhookEndpoints.update(admin, id, changes)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
    expect(await webhookEndpoints.get(admin, id)).toMatchObject({ name: 'CRM', header_names: ['X-Zone'] })
    expect(await webhookEndpoints.update(admin, id, { headers: null })).toMatchObject({ header_names: [] })
  })

  it('does nothing the second time', async () => {
    const { id } = await createEndpoint(serviceWith(older))
    const both = serviceWith(newer, older)
    await both.reencryptSecrets()
    const before = await readSecrets(id, newer)
    expect(await both.reencryptSecrets()).toEqual({ keyId: 'newer', reencrypted: {}, remaining: {} })
    expect(await readSecrets(id, newer)).toEqual(before)
  })

  it('skips secrets it cannot read, reports them, and continues with the rest', async () => {
    const unreadable = await createEndpoint(serviceWith(lost), admin, { headers: { 'X-Zone': 'eu' } })
    const readable = await createEndpoint(serviceWith(older))
    const damaged = await createEndpoint(serviceWith(older))
    await sql`
      update quickquote.webhook_endpoints set secret_ciphertext = set_byte(secret_ciphertext, 0,
        get_byte(secret_ciphertext, 0) # 1) where id = ${damaged.id}`

    const { reencrypted, remaining } = await serviceWith(newer, older).reencryptSecrets()

    expect(reencrypted).toEqual({ older: 1 })
    expect(remaining).toEqual({ lost: 2, older: 1 })
    expect(await readSecrets(unreadable.id, lost)).toMatchObject({ secret: unreadable.secret, version: 1 })
    expect(await readSecrets(readable.id, newer)).toMatchObject({ secret: readable.secret })
    const secret = 'a signing secret could not be decrypted and stays as it is'
    const headers = 'the headers of an endpoint could not be decrypted and stay as they are'
    expect(
      lines.map(({ fields: { endpoint_id, key_id }, message }) => [endpoint_id, key_id, message]).sort(),
    ).toEqual(
      [
        [unreadable.id, 'lost', secret],
        [unreadable.id, 'lost', headers],
        [damaged.id, 'older', secret],
      ].sort(),
    )
    expect(JSON.stringify(lines.map(({ fields }) => String(fields['err'])))).not.toContain('whsec_')
  })

  it('handles more than a batch of endpoints in several processes at once, each secret once', async () => {
    const before = serviceWith(older)
    const created = []
    for (let count = 0; count < 250; count += 1) {
      created.push(await createEndpoint(before, { ...admin, organizationId: randomUUID() }))
    }
    const runs = await Promise.all([1, 2, 3].map(() => serviceWith(newer, older).reencryptSecrets()))
    expect(runs.reduce((sum, { reencrypted }) => sum + (reencrypted['older'] ?? 0), 0)).toBe(250)
    for (const { remaining } of runs) expect(remaining).toEqual({})
    for (const { id, secret } of created) {
      expect(await readSecrets(id, newer)).toMatchObject({ secret, version: 2 })
    }
  })

  it('continues where it was interrupted', async () => {
    const before = serviceWith(older)
    for (let count = 0; count < 150; count += 1) {
      await createEndpoint(before, { ...admin, organizationId: randomUUID() })
    }
    let batches = 0
    const dying: Storage = {
      ...storage,
      transaction(work) {
        batches += 1
        return batches > 1 ? Promise.reject(new Error('the connection is gone')) : storage.transaction(work)
      },
    }
    const failing = serviceOn(dying, [newer, older])
    await expect(failing.reencryptSecrets()).rejects.toThrow('the connection is gone')
    const { reencrypted, remaining } = await serviceWith(newer, older).reencryptSecrets()
    expect([reencrypted, remaining]).toEqual([{ older: 50 }, {}])
  })

  it('keeps concurrent rotations: whichever is first, the last secret issued is the one that signs', async () => {
    const before = serviceWith(older)
    const { id } = await createEndpoint(before)
    const both = serviceWith(newer, older)
    const last = { secret: '' }
    const rotate = async () => {
      for (let count = 0; count < 20; count += 1) {
        const { secret } = await before.webhookEndpoints.rotateSecret(admin, id, { overlap_seconds: 60 })
        last.secret = secret.reveal()
      }
    }
    const reencrypt = async () => {
      for (let count = 0; count < 20; count += 1) await both.reencryptSecrets()
    }
    await Promise.all([rotate(), reencrypt()])
    await both.reencryptSecrets()
    expect(await readSecrets(id, newer)).toMatchObject({ secret: last.secret })
  })

  it('gives the workers a new version of the endpoint, with the same secret', async () => {
    const { id, secret } = await createEndpoint(serviceWith(older))
    const workerId = randomUUID()
    await storage.workers.heartbeat(workerId)
    const claim = async () => {
      await storage.events.record(sampleEvent({ organization_id: admin.organizationId }))
      const now = new Date(Date.now() + 1000)
      const round = { workerId, settled: [], limit: 10, perEndpoint: 10, now }
      const { claimed } = await storage.deliveries.round(round)
      await storage.deliveries.release(workerId, claimed)
      const [delivery] = claimed
      return delivery?.endpoint
    }
    const old = await claim()
    const both = serviceWith(newer, older)
    await both.reencryptSecrets()
    const renewed = await claim()
    expect(renewed?.version).toBeGreaterThan(old?.version ?? 0)
    for (const endpoint of [old, renewed]) {
      expect(endpoint && both.settings.keyring.decrypt(endpoint.secret, id)).toBe(secret)
    }
  })
})

it('a key that two claim at the same moment is right for both', async () => {
  await createEndpoint(serviceWith(newer))
  await sql`insert into quickquote.encryption_keys (id, check_value) values ('next', 'unused')`
  const claim = (connection: Sql | TransactionSql) =>
    connection`select quickquote.claim_encryption_key('next', 'new', false)`
  const second = await sql.begin(async (first) => {
    await claim(first)
    await first`update quickquote.webhook_endpoints set secret_key_id = 'next'`
    const call = claim(sql)
    void call.execute()
    await expect.poll(() => lockWaiters(sql)).toBe(1)
    return { call }
  })
  expect(await second.call).toEqual([{ claim_encryption_key: true }])
})
