import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type FileId, type FileStorage, IntegrationError } from '@quickquote/core'
import { adminOf } from '@quickquote/dev-servers/host'
import { describe, expect, it } from 'vitest'
import {
  ADDRESS,
  deliverAll,
  eraseAll,
  eraseKilledIn,
  fill,
  host,
  OTHER,
  open,
  organizations,
  receiver,
  rows,
  rowsWith,
  startQuote,
  statusOf,
  textOf,
  untilErased,
  YEAR_MS,
} from './support/filled-host.ts'
import { certificate, ORGANIZATION, openReceiver, STEP_EVENT } from './support/host.ts'

const NOWHERE = 'ffffffff-ffff-4fff-8fff-ffffffffffff'

async function refusalOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call()
    return 'none'
  } catch (error) {
    return error instanceof IntegrationError ? error.code : String(error)
  }
}

/** A file storage of the host that records its files by id, and its calls. */
function bucket() {
  const stored = new Map<string, string>()
  const calls: string[] = []
  const files = {
    async put({ id, organization_id }: FileId, bytes: AsyncIterable<Uint8Array>) {
      for await (const _ of bytes) stored.set(id, organization_id)
    },
    async *get() {},
    async delete(gone: readonly FileId[]) {
      calls.push(`delete ${gone.length}`)
      for (const { id } of gone) stored.delete(id)
    },
    async erase(organizationId: string) {
      calls.push(`erase ${organizationId}`)
      for (const [id, owner] of stored) if (owner === organizationId) stored.delete(id)
    },
  } satisfies FileStorage
  return { files, stored, calls }
}

/** A gate that blocks until it is opened. */
function gate() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}

describe('organizations.erase', () => {
  it('leaves no row that names the organization, and does not touch a byte of others', async () => {
    await open()
    const ids = await fill(ORGANIZATION)
    const others = await fill(OTHER)
    await deliverAll()
    const texts = [...ids, textOf(ORGANIZATION)]
    const before = await rowsWith(texts)
    // Every table that can hold data of an organization has some.
    const empty = Object.keys(await rows()).filter((name) => before[name] === undefined)
    expect(empty).toEqual([
      'deliveries',
      'delivery_hours_counted',
      'encryption_keys',
      'erased_organizations',
      'migrations',
      'pipeline_starts',
      'retention_floor',
      'workers',
    ])
    const ofOthers = await rowsWith([...others, textOf(OTHER)])

    expect(await organizations().erase(ORGANIZATION, { by: 'officer' })).toMatchObject({ status: 'erasing' })
    await untilErased()

    expect(await rowsWith(texts)).toEqual({})
    expect(await rowsWith([...others, textOf(OTHER)])).toEqual(ofOthers)
    const erased = await organizations().erasure(ORGANIZATION.toUpperCase())
    expect(erased).toMatchObject({
      status: 'erased',
      removed: { quotations: 3, events: 15, delivery_attempts: 3, webhook_endpoints: 2, api_keys: 1 },
      left_to_host: [],
    })
    expect(erased?.erased_at).toBeInstanceOf(Date)
    expect(await organizations().erasure(OTHER)).toBeNull()
  })

  it('keeps the audit log on request, with only actors and times', async () => {
    await open()
    await fill(ORGANIZATION, 1)
    expect(await rowsWith([ADDRESS])).toHaveProperty('audit_log')
    await organizations().erase(ORGANIZATION, { by: 'officer', keepAuditLog: true })
    await untilErased()
    expect(Object.keys(await rowsWith([ORGANIZATION]))).toEqual(['audit_log'])
    expect(await rowsWith([textOf(ORGANIZATION), ADDRESS])).toEqual({})
    const { items } = await host.integrations.auditLog.list(adminOf(ORGANIZATION))
    expect(items.map(({ action }) => action)).toContain('api_key.created')
    expect(items[0]).toMatchObject({ action: 'organization.erased', actor_id: 'officer' })
    for (const entry of items) {
      expect(entry).toMatchObject({ resource_name: '[erased]', changes: [], client_address: null })
    }
  })

  it('refuses everything that arrives meanwhile, and none of it remains', async () => {
    await open()
    await fill(ORGANIZATION, 1)
    await organizations().erase(ORGANIZATION)

    const { apiKeys, webhookEndpoints, pipeline } = host.integrations
    const admin = adminOf(ORGANIZATION)
    const expires_at = new Date(Date.now() + YEAR_MS).toISOString()
    const endpoint = { name: 'x', url: receiver.url, events: [STEP_EVENT] }
    const [quotation] =
      await host.sql`select id from quickquote.quotations where organization_id = ${ORGANIZATION}`
    for (const call of [
      () => startQuote(ORGANIZATION),
      () => host.startQuote(),
      () => apiKeys.create(admin, { name: 'x', expires_at }),
      () => webhookEndpoints.create(admin, endpoint),
      () => pipeline(String(quotation?.['id'])).completed(),
    ]) {
      expect(await refusalOf(call)).toBe('ORGANIZATION_ERASED')
    }
    await untilErased()
    expect(await rowsWith([ORGANIZATION, textOf(ORGANIZATION)])).toEqual({})
    // The id can be used again.
    await host.startQuote()
  })

  it('waits for a transaction of the host that began earlier, and erases its rows', async () => {
    await open()
    await fill(ORGANIZATION, 1)
    const begun = gate()
    const end = gate()
    const transaction = host.sql.begin(async (tx) => {
      const quote = { organizationId: ORGANIZATION, source: 'ui' as const, body: { requirementsText: 'x' } }
      await host.integrations.within(tx).quotations.start(quote)
      begun.resolve()
      await end.promise
    })
    await begun.promise
    await organizations().erase(ORGANIZATION)
    await eraseAll()
    // Everything else is erased by then.
    expect(await statusOf()).toBe('sweeping')
    expect(Object.keys(await rowsWith([ORGANIZATION]))).toEqual(['erased_organizations'])
    expect(await refusalOf(() => host.startQuote())).toBe('ORGANIZATION_ERASED')
    end.resolve()
    await transaction
    expect(await rowsWith([ORGANIZATION])).toHaveProperty('quotations')
    await untilErased()
    expect(await rowsWith([ORGANIZATION])).toEqual({})
    expect(await organizations().erasure(ORGANIZATION)).toMatchObject({ removed: { quotations: 2 } })
  })

  it('accepts two calls at once, and an organization that never existed', async () => {
    await open()
    await fill(ORGANIZATION, 1)
    await Promise.all([organizations().erase(ORGANIZATION), organizations().erase(ORGANIZATION)])
    await Promise.all([untilErased(), untilErased(), untilErased()])
    expect(await rowsWith([ORGANIZATION])).toEqual({})
    await organizations().erase(NOWHERE)
    await untilErased(NOWHERE)
    expect(await organizations().erasure(NOWHERE)).toMatchObject({ status: 'erased' })
    expect(await rowsWith([NOWHERE])).toEqual({})
    expect(await refusalOf(() => organizations().erase('crm'))).toBe('VALIDATION_FAILED')
  })

  it('answers a second call with the state of the first, until there is new data', async () => {
    await open()
    await fill(ORGANIZATION, 1)
    const first = await organizations().erase(ORGANIZATION)
    await untilErased()
    const erased = await organizations().erasure(ORGANIZATION)
    expect(await organizations().erase(ORGANIZATION)).toEqual(erased)
    expect(erased?.started_at).toEqual(first.started_at)
    expect(await rowsWith([ORGANIZATION])).toEqual({})

    await host.startQuote()
    expect(await organizations().erase(ORGANIZATION)).toMatchObject({ status: 'erasing', removed: {} })
    await untilErased()
    expect(await rowsWith([ORGANIZATION])).toEqual({})
    expect(await organizations().erasure(ORGANIZATION)).toMatchObject({
      status: 'erased',
      removed: { quotations: 1 },
    })
  })

  it('erases or refuses data that arrives at the moment it begins', async () => {
    await open()
    const arriving = Array.from({ length: 6 }, async (_, n) => {
      const call = n % 2 === 0 ? () => startQuote(ORGANIZATION) : () => host.finishStep()
      for (;;) {
        const refusal = await refusalOf(call)
        if (refusal !== 'none') return refusal
      }
    })
    await expect.poll(() => rowsWith([ORGANIZATION])).toHaveProperty('events')
    await organizations().erase(ORGANIZATION)
    expect(new Set(await Promise.all(arriving))).toEqual(new Set(['ORGANIZATION_ERASED']))
    await untilErased()
    expect(await rowsWith([ORGANIZATION, textOf(ORGANIZATION)])).toEqual({})
  })

  it('erases what a transaction with an older snapshot adds at its end, and workers stay idle', async () => {
    await open()
    const endpoint = await host.createEndpoint(receiver.url)
    const worker = host.createWorker({ ca: certificate.cert, pollIntervalMs: 20 })
    await worker.start()
    const [read, write, written, end] = [gate(), gate(), gate(), gate()]
    const transaction = host.sql.begin('isolation level repeatable read', async (tx) => {
      await tx`select from quickquote.quotations`
      read.resolve()
      await write.promise
      const quote = { organizationId: ORGANIZATION, source: 'ui' as const, body: { requirementsText: 'x' } }
      const { quotations, pipeline, webhookEndpoints } = host.integrations.within(tx)
      const { quotation_id } = await quotations.start(quote)
      await pipeline(quotation_id).stepCompleted('requirement_analysis')
      const created = { name: 'x', url: receiver.url, events: [STEP_EVENT] }
      await webhookEndpoints.create(adminOf(ORGANIZATION), created)
      written.resolve()
      await end.promise
    })
    await read.promise
    await organizations().erase(ORGANIZATION)
    await expect.poll(() => statusOf()).toBe('sweeping')
    write.resolve()
    await written.promise
    expect(await rowsWith([endpoint.id])).toEqual({})
    // As if the next look were due: it must wait for the transaction.
    await host.sql`update quickquote.erased_organizations set due_at = now()`
    await expect
      .poll(
        () => host.sql`select from quickquote.erased_organizations where due_at > now() + interval '50 s'`,
      )
      .toHaveLength(1)
    expect(await statusOf()).toBe('sweeping')
    end.resolve()
    await transaction
    await expect.poll(() => statusOf()).toBe('erased')
    expect(await rowsWith([ORGANIZATION, endpoint.id])).toEqual({})
    expect(await organizations().erasure(ORGANIZATION)).toMatchObject({
      removed: { quotations: 1, events: 1, webhook_endpoints: 2 },
    })
    await worker.idle()
    expect(await host.attempts()).toEqual([])
  })

  it('leaves no hourly count of an endpoint that is being counted', async () => {
    await open()
    const { id } = await host.createEndpoint(receiver.url)
    await host.sql`insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
        event_type, attempt, status, is_test, created_at)
      values (gen_random_uuid(), gen_random_uuid(), ${ORGANIZATION}, ${id}, gen_random_uuid(), ${STEP_EVENT}, 1, 'failed',
        false, now() - interval '3 hours')`
    await host.sql`update quickquote.delivery_hours_counted set until = now() - interval '1 day'`
    await host.sql`delete from quickquote.delivery_hours`
    const counted = gate()
    const end = gate()
    const counting = host.sql.begin(async (tx) => {
      await tx`select quickquote.count_delivery_hours()`
      counted.resolve()
      await end.promise
    })
    await counted.promise
    await organizations().erase(ORGANIZATION)
    await eraseAll()
    expect(await statusOf()).toBe('erasing')
    end.resolve()
    await counting
    await host.sql`update quickquote.erased_organizations set due_at = now()`
    await untilErased()
    expect(await rowsWith([ORGANIZATION, id])).toEqual({})
  })

  it('is continued by workers, aborts runs in progress, and ends deliveries in flight', async () => {
    const signals: AbortSignal[] = []
    let isAsked = false
    const answered = gate()
    await open({ pipeline: { start: async (_, { signal }) => void signals.push(signal) } })
    const slow = await openReceiver(async () => {
      isAsked = true
      await answered.promise
      return { status: 200 }
    })
    await host.createEndpoint(slow.url)
    await host.createWorker({ ca: certificate.cert, pollIntervalMs: 20 }).start()
    await host.finishStep()
    await expect.poll(() => isAsked).toBe(true)
    await expect.poll(() => signals.length).toBe(1)

    await organizations().erase(ORGANIZATION)
    await expect.poll(() => organizations().erasure(ORGANIZATION)).toMatchObject({ status: 'erased' })
    await expect.poll(() => signals[0]?.aborted).toBe(true)
    answered.resolve()
    await slow.stop()
    await expect.poll(() => rowsWith([ORGANIZATION])).toEqual({})
    expect(await host.attempts()).toEqual([])
  })

  describe("in the host's own file storage", () => {
    it('removes the files we know, then calls erase once for the others', async () => {
      const { files, calls, stored } = bucket()
      await open({ files })
      await fill(ORGANIZATION)
      await fill(OTHER, 1)
      stored.set('unknown', ORGANIZATION)
      await organizations().erase(ORGANIZATION)
      await untilErased()
      expect(calls).toEqual(['delete 5', `erase ${ORGANIZATION}`])
      expect(new Set(stored.values())).toEqual(new Set([OTHER]))
      expect(await organizations().erasure(ORGANIZATION)).toMatchObject({
        status: 'erased',
        left_to_host: [],
      })
    })

    it('removes the files we know if there is no erase', async () => {
      const { files, calls, stored } = bucket()
      const { erase, ...withoutErase } = files
      await open({ files: withoutErase })
      await fill(ORGANIZATION)
      await organizations().erase(ORGANIZATION)
      await untilErased()
      expect([calls, stored.size]).toEqual([['delete 5'], 0])
      expect(await organizations().erasure(ORGANIZATION)).toMatchObject({
        status: 'erased',
        left_to_host: [],
      })
    })

    const throws = () => Promise.reject(new Error('The bucket is away.'))
    const hangs = () => new Promise<never>(() => {})
    it.each([
      // As often as a worker retries in an hour.
      { method: 'delete', fault: throws, tries: 60, message: 'The bucket is away.' },
      { method: 'erase', fault: throws, tries: 60, message: 'The bucket is away.' },
      { method: 'delete', fault: hangs, tries: 3, message: 'files.delete did not respond within 200 ms' },
      { method: 'erase', fault: hangs, tries: 3, message: 'files.erase did not respond within 200 ms' },
    ] as const)(
      '$method $fault.name: everything else is erased by then, and a worker continues once it works again',
      async ({ method, fault, tries, message }) => {
        const { files, stored } = bucket()
        let isAway = true
        const whole = files[method] as (...given: unknown[]) => Promise<void>
        const call = (...given: unknown[]) => (isAway ? fault() : whole(...given))
        await open({ files: { ...files, [method]: call }, hookTimeoutMs: 200 })
        await fill(ORGANIZATION)
        await organizations().erase(ORGANIZATION)
        for (let tried = 0; tried < tries; tried += 1) await expect(eraseAll()).rejects.toThrow(message)
        const left =
          method === 'delete'
            ? ['audit_log', 'erased_organizations', 'file_chunks', 'uploads']
            : ['audit_log', 'erased_organizations']
        expect(Object.keys(await rowsWith([ORGANIZATION]))).toEqual(left)
        expect(await statusOf()).toBe('erasing')

        // Two processes stop at once.
        await organizations().erase(OTHER)
        isAway = false
        await host.createWorker({ pollIntervalMs: 20 }).start()
        for (const id of [ORGANIZATION, OTHER]) {
          await expect.poll(() => organizations().erasure(id)).toMatchObject({ status: 'erased' })
        }
        expect(stored.size).toBe(0)
        expect(await rowsWith([ORGANIZATION, textOf(ORGANIZATION)])).toEqual({})
      },
    )
  })

  it('leaves no secret or header of an endpoint once it resolves', async () => {
    await open()
    const { webhookEndpoints } = host.integrations
    const url = `${receiver.url}/hook`
    const headers = { 'x-api-token': 'hush' }
    const endpoint = { name: 'x', url, events: [STEP_EVENT], headers }
    const { id } = await webhookEndpoints.create(adminOf(ORGANIZATION), endpoint)
    await webhookEndpoints.rotateSecret(adminOf(ORGANIZATION), id, { overlap_seconds: 3600 })
    await organizations().erase(ORGANIZATION)
    const secrets =
      await host.sql`select num_nonnulls(secret_ciphertext, secret_key_id, headers_ciphertext, headers_key_id) as left,
        header_names, previous_secrets
      from quickquote.webhook_endpoints`
    expect(secrets).toEqual([{ left: 0, header_names: [], previous_secrets: [] }])
  })

  // In every step: erase-organization.slow.test.ts.
  it('continues after a kill -9 in two steps, and counts each row once', () =>
    eraseKilledIn(['removeRows 2', 'finish 1']))

  describe('an upload in progress', () => {
    /** Receives a file of which all but the last bytes have been stored. */
    async function upload(stored: () => Promise<boolean>) {
      const last = gate()
      const bytes = (async function* () {
        yield Buffer.from(textOf(ORGANIZATION).repeat(10_000))
        await last.promise
        yield Buffer.from('the end')
      })()
      const file = { organizationId: ORGANIZATION, index: 0, name: 'a.txt', bytes }
      const refusal = refusalOf(() => host.integrations.requirementsFiles.receive(file))
      await expect.poll(stored).toBe(true)
      return { last, refusal }
    }

    const chunks = async () => (await host.sql`select from quickquote.file_chunks`).length > 0

    it('is refused, and nothing of it stays', async () => {
      await open()
      const { last, refusal } = await upload(chunks)
      await organizations().erase(ORGANIZATION)
      await eraseAll()
      expect(await chunks()).toBe(false)
      last.resolve()
      expect(await refusal).toBe('ORGANIZATION_ERASED')
      await host.sql`update quickquote.erased_organizations set due_at = now()`
      await untilErased()
      expect(await rowsWith([ORGANIZATION, textOf(ORGANIZATION)])).toEqual({})
    })

    it("is refused, and nothing of it stays in the host's own file storage", async () => {
      const { files, stored } = bucket()
      await open({ files })
      const { last, refusal } = await upload(async () => stored.size > 0)
      await organizations().erase(ORGANIZATION)
      await eraseAll()
      expect(stored.size).toBe(0)
      last.resolve()
      expect(await refusal).toBe('ORGANIZATION_ERASED')
      expect(stored.size).toBe(0)
      await host.sql`update quickquote.erased_organizations set due_at = now()`
      await untilErased()
      expect(await rowsWith([ORGANIZATION, textOf(ORGANIZATION)])).toEqual({})
    })

    it('whose process is killed: its bytes are deleted again once its record is an hour old', async () => {
      await open()
      const program = new URL('./programs/uploading-process.js', import.meta.url)
      const child = spawn(process.execPath, [program.pathname, host.databaseUrl, ORGANIZATION])
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      expect((await lines.next()).value).toBe('stored')
      await organizations().erase(ORGANIZATION)
      await eraseAll()
      // Bytes that were on their way to the file storage.
      child.stdin.write('more\n')
      expect((await lines.next()).value).toBe('stored again')
      child.kill('SIGKILL')
      await once(child, 'exit')
      await host.sql`update quickquote.erased_organizations set due_at = now()`
      await eraseAll()
      expect(await statusOf()).toBe('erasing')
      expect(await chunks()).toBe(true)

      await host.sql`update quickquote.uploads set created_at = created_at - interval '61 minutes'`
      await host.sql`update quickquote.erased_organizations set due_at = now()`
      await untilErased()
      expect(await rowsWith([ORGANIZATION, textOf(ORGANIZATION)])).toEqual({})
    })
  })
})
