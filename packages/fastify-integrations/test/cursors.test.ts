import { adminOf, hostOptions, integrationsOn } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { ACME, GLOBEX, openHost, useDatabase } from './support/host.ts'
import { createEndpoint, failQuote, useDeliveries } from './support/webhooks.ts'

const context = useDeliveries()
const database = useDatabase()

const LISTS = ['api-keys', 'audit-log', 'webhooks/deliveries'] as const
type List = (typeof LISTS)[number]

function path(list: List, organization: string, cursor?: string | null): string {
  const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(String(cursor))}`
  return `/v1/organizations/${organization}/${list}?limit=1${query}`
}

async function cursorOf(list: List, organization: string): Promise<string | null> {
  const member = organization === ACME ? 'acme-admin' : 'globex-admin'
  const { headers } = await context.host.call('GET', path(list, organization), { member })
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
  return new URL(next, context.host.url).searchParams.get('cursor')
}

beforeAll(async () => {
  for (const member of ['acme-admin', 'globex-admin'] as const) {
    await createEndpoint(context.host, { url: `${context.receiver.url}/hook` }, member)
    for (const name of ['a', 'b']) await failQuote(context.host, name, member)
  }
  await vi.waitFor(async () => {
    expect(await Promise.all([ACME, GLOBEX].map((each) => cursorOf('webhooks/deliveries', each)))).toEqual([
      expect.any(String),
      expect.any(String),
    ])
  }, 60_000)
})

it.each(LISTS)('a cursor of %s is valid there, and in no other list or organization', async (list) => {
  const cursor = await cursorOf(list, ACME)
  for (const other of LISTS) {
    for (const organization of [ACME, GLOBEX]) {
      const member = organization === ACME ? 'acme-admin' : 'globex-admin'
      const answer = await context.host.call('GET', path(other, organization, cursor), { member })
      const isOwn = other === list && organization === ACME
      expect([other, organization, answer.status]).toEqual([other, organization, isOwn ? 200 : 400])
      if (!isOwn) expect(answer.body['errors']).toMatchObject([{ pointer: '?cursor' }])
    }
  }
})

it.each(LISTS)('a forged cursor of %s is a 400', async (list) => {
  const genuine = Buffer.from(String(await cursorOf(list, ACME)), 'base64url')
  const year10000 = Buffer.from(genuine)
  year10000.writeBigInt64BE(BigInt(Date.UTC(10_000, 0)))
  const forged = [year10000, genuine.subarray(0, 24), Buffer.alloc(40), Buffer.alloc(40, 0xff)]
  for (const bytes of forged) {
    const { status } = await context.host.call('GET', path(list, ACME, bytes.toString('base64url')), {
      member: 'acme-admin',
    })
    expect(status).toBe(400)
  }
})

it('a cursor survives a restart, and a rotation of the encryption keys', async () => {
  const old = hostOptions.encryptionKeys
  const newer = { id: 'new', key: Buffer.alloc(32, 9) }
  const storage = drizzleStorage({ connectionString: database.url })
  onTestFinished(() => storage.close())
  const listOf = (encryptionKeys: typeof old) => integrationsOn(storage, { encryptionKeys }).auditLog
  const admin = adminOf(ACME)
  const host = await openHost({ databaseUrl: database.url })
  for (let made = 0; made < 3; made += 1) await host.createKey()
  const { nextCursor } = await listOf(old).list(admin, { limit: '1' })
  const next = { limit: '1', cursor: String(nextCursor) }
  expect((await listOf([newer, ...old]).list(admin, next)).items).toHaveLength(1)
  await expect(listOf([newer]).list(admin, next)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  })
})
