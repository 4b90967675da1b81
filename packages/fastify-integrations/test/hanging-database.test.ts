import { setTimeout as sleep } from 'node:timers/promises'
import { type LossyProxy, lossyProxy, sendSignal } from '@quickquote/dev-servers'
import { migratedDatabase, ownsPostgres } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ACME, type Answer, type Host, startHost } from './support/host.ts'

/** The longest time until a request is answered, from the arrival of its body. */
const BOUND_MS = 15_000

vi.setConfig({ testTimeout: 300_000 })

let database: Awaited<ReturnType<typeof migratedDatabase>>
let proxy: LossyProxy
let host: Host
let sql: postgres.Sql
let stopped: number[]

beforeEach(async () => {
  stopped = []
  database = await migratedDatabase()
  proxy = await lossyProxy(database.url)
  host = await startHost({ databaseUrl: proxy.url })
  sql = postgres(database.url, { max: 2, onnotice() {} })
})

afterEach(async () => {
  sendSignal('SIGCONT', ...stopped)
  // A failed test may leave a transaction open.
  await sql.end({ timeout: 1 })
  await host.close()
  await proxy.stop()
  await database.drop()
})

function stop(pid: number): void {
  sendSignal('SIGSTOP', pid)
  stopped.push(pid)
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  const begun = performance.now()
  try {
    return await promise
  } finally {
    expect(performance.now() - begun).toBeLessThan(BOUND_MS)
  }
}

function expectUnavailable({ status, body, headers }: Answer): void {
  expect({ status, code: body['code'] }).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' })
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
}

/** A foreign transaction that locks a key and a quotation, and does nothing. */
async function holdRows(keyId: string, quotationId: string) {
  const other = await sql.reserve()
  await other`begin`
  await other`select from quickquote.api_keys where id = ${keyId} for update`
  await other`select from quickquote.quotations where id = ${quotationId} for update`
  const [backend] = await other<{ pid: number }[]>`select pg_backend_pid() as pid`
  return {
    pid: backend?.pid ?? 0,
    async release() {
      await other`rollback`
      other.release()
    },
  }
}

describe('A database that hangs', () => {
  it.each(ownsPostgres ? ['idle', 'stopped'] : ['idle'])(
    'a row lock of a transaction that is %s: requests that need it fail in time, others are unaffected, and all can be repeated',
    async (state) => {
      const { id, key } = await host.createKey()
      const quotationId = await host.startQuotation(key)
      const held = await holdRows(id, quotationId)
      if (state === 'stopped') stop(held.pid)

      const rename = () =>
        host.call('PATCH', `/v1/organizations/${ACME}/api-keys/${id}`, {
          member: 'acme-admin',
          json: { name: 'renamed' },
        })
      const report = () => host.integrations.pipeline(quotationId).stepStarted('requirement_analysis')
      const read = () => host.call('GET', `/v1/integrations/quotations/${quotationId}`, { key })
      let isRefused = false
      const refused = Promise.all([
        inTime(rename()),
        inTime(report().catch((error: unknown) => error)),
      ]).finally(() => {
        isRefused = true
      })
      const others = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const { status } = await read()
          return { status, isMeanwhile: !isRefused }
        }),
      )
      const [renamed, reported] = await refused
      expectUnavailable(renamed)
      expect(reported).toMatchObject({ name: 'StorageError', statusCode: 503, code: '55P03' })
      expect(others).toEqual(Array(10).fill({ status: 200, isMeanwhile: true }))

      sendSignal('SIGCONT', ...stopped.splice(0))
      await held.release()
      await report()
      expect((await rename()).status).toBe(200)
    },
  )

  it('thirty requests that wait for the same rows take nobody else their connections', async () => {
    const { id, key } = await host.createKey()
    const other = await host.createKey()
    const quotationId = await host.startQuotation(key)
    const held = await holdRows(id, quotationId)
    const rename = (keyId: string) =>
      host.call('PATCH', `/v1/organizations/${ACME}/api-keys/${keyId}`, {
        member: 'acme-admin',
        json: { name: 'renamed' },
      })
    const report = () => host.integrations.pipeline(quotationId).stepStarted('requirement_analysis')
    let isStuck = true
    const stuck = Promise.all(
      Array.from({ length: 15 }, () => [
        inTime(rename(id)),
        inTime(report().catch((error: unknown) => error)),
      ]).flat(),
    ).finally(() => {
      isStuck = false
    })

    const others = {
      'a quotation': () => host.call('GET', `/v1/integrations/quotations/${quotationId}`, { key: other.key }),
      'another key': () => rename(other.id),
      'a list': () => host.call('GET', `/v1/organizations/${ACME}/api-keys`, { member: 'acme-admin' }),
    }
    const meanwhile = new Set<string>()
    do {
      await Promise.all(
        Object.entries(others).map(async ([name, call]) => {
          const { status } = await call()
          expect({ name, status }).toEqual({ name, status: 200 })
          if (isStuck) meanwhile.add(name)
        }),
      )
      // Stays within the limit of the key.
      await sleep(200)
    } while (isStuck)
    expect([...meanwhile].sort()).toEqual(Object.keys(others).sort())
    for (const answer of await stuck) {
      if (answer instanceof Error) expect(answer).toMatchObject({ statusCode: 503, code: '55P03' })
      else expectUnavailable(answer as Answer)
    }
    await held.release()
    expect((await rename(id)).status).toBe(200)
  })

  it.runIf(ownsPostgres)(
    'our own backends, stopped: each request is answered in time, and later ones as usual',
    async () => {
      const { key } = await host.createKey()
      const id = await host.startQuotation(key)
      const read = () => host.call('GET', `/v1/integrations/quotations/${id}`, { key })
      const backends = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and application_name = 'quickquote'`
      expect(backends.length).toBeGreaterThan(0)
      for (const { pid } of backends) stop(pid)

      const answers = await Promise.all(Array.from({ length: 12 }, () => inTime(read())))
      expect(new Set(answers.map(({ status }) => status)).has(500)).toBe(false)
      const unavailable = answers.filter(({ status }) => status !== 200)
      expect(unavailable.length).toBeGreaterThan(0)
      for (const answer of unavailable) expectUnavailable(answer)

      expect((await read()).status).toBe(200)
    },
  )

  it('connections that swallow everything: each request and each call ends in time, and later ones as usual', async () => {
    const { key } = await host.createKey()
    const id = await host.startQuotation(key)
    const read = () => host.call('GET', `/v1/integrations/quotations/${id}`, { key })
    const start = () => {
      const body = new FormData()
      body.append('files', new File(['Customers sign in.'], 'a.txt'))
      return host.call('POST', '/v1/integrations/quotations', { key, body })
    }
    const list = () =>
      host.call('GET', `/v1/organizations/${ACME}/webhooks/deliveries`, { member: 'acme-admin' })
    const report = () =>
      host.integrations
        .pipeline(id)
        .stepStarted('requirement_analysis')
        .catch((error: unknown) => error)
    // All four connections are open.
    await Promise.all(Array.from({ length: 8 }, read))
    proxy.swallow()

    const reported = inTime(report())
    const answers = await Promise.all([read(), start(), list(), read(), start()].map(inTime))
    for (const answer of answers.filter(({ status }) => status >= 300)) expectUnavailable(answer)
    expect(answers.some(({ status }) => status === 503)).toBe(true)
    const error = await reported
    if (error !== undefined) expect(error).toMatchObject({ name: 'StorageError', statusCode: 503 })

    await host.integrations.pipeline(id).stepStarted('requirement_analysis')
    expect((await read()).status).toBe(200)
    expect((await start()).status).toBe(202)
  })
})
