import { once } from 'node:events'
import { connect } from 'node:net'
import type { Sql } from 'postgres'
import { beforeAll, describe, expect, it } from 'vitest'
import { ACME, GLOBEX, type Host, openHost, useDatabase, useHost } from './support/host.ts'

const PATH = '/v1/integrations/events'
const context = useHost({ integrations: { limits: { requestsPerMinute: 10_000, startsPerMinute: 10_000 } } })
const database = useDatabase()
let acmeKey: string
let globexKey: string

beforeAll(async () => {
  acmeKey = (await context.host.createKey('acme-admin')).key
  globexKey = (await context.host.createKey('globex-admin')).key
})

async function read(query = '', key = acmeKey, host = context.host) {
  const { status, headers, body } = await host.call('GET', PATH + query, { key })
  const next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? ''
  const events = (Array.isArray(body) ? body : []) as {
    id: string
    type: string
    data: { quotation_id: string }
  }[]
  return { status, body, events, next: next.slice(next.indexOf('?')) }
}

/** A quote whose run fails: `quotation.failed` is recorded. @returns its id */
async function failedQuote(source: 'ui' | 'api_key' = 'api_key', organizationId = ACME, host = context.host) {
  const quote = { organizationId, source, body: { requirementsText: 'x' } }
  const { quotation_id } = await host.integrations.quotations.start(quote)
  await host.integrations.pipeline(quotation_id).failed()
  return quotation_id
}

const quotesOf = ({ events }: Awaited<ReturnType<typeof read>>) => events.map(({ data }) => data.quotation_id)

describe('GET /v1/integrations/events', () => {
  it('lists the events of the organization, oldest first, page by page', async () => {
    const { next: start } = await read('?after=latest')
    const quotes = [await failedQuote(), await failedQuote(), await failedQuote()]
    await failedQuote('api_key', GLOBEX)
    const first = await read(`${start}&limit=2`)
    expect(quotesOf(first)).toEqual(quotes.slice(0, 2))
    const second = await read(first.next)
    expect(quotesOf(second)).toEqual(quotes.slice(2))
    const third = await read(second.next)
    expect(third.events).toEqual([])
    const later = await failedQuote()
    expect(quotesOf(await read(third.next))).toEqual([later])
    expect(quotesOf(await read()).slice(-4)).toEqual([...quotes, later])
  })

  it('has the exact bytes of the webhooks', async () => {
    const { next } = await read('?after=latest')
    await failedQuote()
    const answer = await fetch(`${context.host.url}${PATH}${next}`, { headers: { 'X-API-Key': acmeKey } })
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const [event] = await context.sql<{ body: string }[]>`
      select body from quickquote.events order by feed_position desc limit 1`
    expect(await answer.text()).toBe(`[${event?.body}]`)
  })

  it('continues after a given event id', async () => {
    const { next } = await read('?after=latest')
    const quotes = [await failedQuote(), await failedQuote()]
    const [first] = (await read(next)).events
    expect(quotesOf(await read(`?after=${first?.id}`))).toEqual(quotes.slice(1))
    expect((await read(`?after=${first?.id}`, globexKey)).body['errors']).toMatchObject([
      { pointer: '?after' },
    ])
  })

  it('after an event id, what an older open transaction commits later is not lost', async () => {
    const { next: start } = await read('?after=latest')
    const seen = await failedQuote()
    const quote = { organizationId: ACME, source: 'api_key', body: { requirementsText: 'x' } } as const
    const { quotation_id: early } = await context.host.integrations.quotations.start(quote)
    let page = await read(start)
    let late = ''
    await context.sql.begin(async (transaction) => {
      await context.host.integrations.within(transaction).pipeline(early).failed()
      late = await failedQuote()
      // Its webhook is sent: it is committed.
      const [event] = await context.sql`select id from quickquote.events where quotation_id = ${late}`
      page = await read(`?after=evt_${event?.['id']}`)
      expect(quotesOf(page)).toEqual([])
    })
    expect(quotesOf(await read(page.next))).toEqual([early, late])
    const [first] = (await read(start)).events
    expect(first?.data.quotation_id).toBe(seen)
    expect(quotesOf(await read(`?after=${first?.id}`))).toEqual([early, late])
  })

  it('filters by type and source, and continues after hidden events', async () => {
    const { next } = await read('?after=latest')
    const ui = await failedQuote('ui')
    const partner = await failedQuote()
    expect(quotesOf(await read(next))).toEqual([partner])
    expect(quotesOf(await read(`${next}&generation_source=ui`))).toEqual([ui])
    expect(quotesOf(await read(`${next}&generation_source=all`))).toEqual([ui, partner])
    expect(quotesOf(await read(`${next}&types=quotation.failed,quotation.completed`))).toEqual([partner])
    const hidden = await read(`${next}&types=quotation.completed`)
    expect(hidden.events).toEqual([])
    expect(hidden.next).toContain('types=quotation.completed')
    const shown = new URLSearchParams(hidden.next)
    expect((await read(`?after=${shown.get('after')}&generation_source=all`)).events).toEqual([])
  })

  it('skips the events of an erased quote, whose cursors stay good', async () => {
    const { next } = await read('?after=latest')
    const erased = await failedQuote()
    const kept = [await failedQuote()]
    const { next: afterErased } = await read(`${next}&limit=1`)
    await context.host.integrations.quotations.erase(ACME, erased)
    for (const query of [next, `${next}&limit=1`, `${next}&types=quotation.failed`, afterErased]) {
      expect(quotesOf(await read(query))).toEqual(kept)
    }
  })

  it.each([
    ['?after', 'after=x'],
    ['?after', 'after='],
    ['?after', 'after=evt_x'],
    ['?after', 'after=evt_01975f0e-0000-7000-8000-000000000000'],
    ['?after', `after=${'A'.repeat(54)}`],
    ['?types', 'types=quotation.done'],
    ['?types', 'types='],
    ['?types', 'types=quotation.failed,'],
    ['?generation_source', 'generation_source=both'],
    ['?limit', 'limit=101'],
    ['?wait', 'wait=21'],
    ['?wait', 'wait=0.5'],
    ['?wait', 'wait=-1'],
    ['?wait', 'wait=0x10'],
    ['?wait', 'wait=1e1'],
    ['?limit', 'limit=0x10'],
  ])('refuses %s: %s', async (pointer, query) => {
    const { status, body } = await read(`?${query}`)
    expect([status, body['code'], body['errors']]).toMatchObject([400, 'VALIDATION_FAILED', [{ pointer }]])
  })

  it('refuses anything else in `after` with what it takes', async () => {
    const { body } = await read('?after=zzz')
    const detail =
      'must be the cursor of a `next` link of this feed, the ID of an event (`evt_…`), or `latest`'
    expect(body['errors']).toEqual([{ pointer: '?after', detail }])
  })

  it('treats a cursor of another organization or another list as forged', async () => {
    const { next } = await read('?after=latest')
    expect((await read(next, globexKey)).status).toBe(400)
    await failedQuote()
    await failedQuote()
    const list = await context.host.call('GET', '/v1/integrations/quotations?limit=1', { key: acmeKey })
    const cursor = /cursor=([^>&]+)/.exec(list.headers.get('link') ?? '')?.[1]
    expect(cursor).toBeDefined()
    expect((await read(`?after=${cursor}`)).status).toBe(400)
  })

  it('answers 410 if events after the cursor are gone', async () => {
    const { next } = await read('?after=latest')
    await failedQuote()
    const { next: seen } = await read(next)
    await context.sql`delete from quickquote.events where feed_position =
      (select max(feed_position) from quickquote.events where organization_id = ${ACME})`
    const { status, body } = await read(seen)
    expect([status, body['code']]).toEqual([410, 'CURSOR_EXPIRED'])
    expect((await read('?limit=1')).status).toBe(200)
  })
})

describe('With wait', () => {
  it('responds with the next matching event', async () => {
    const { next } = await read('?after=latest')
    const waiting = read(`${next}&wait=20&types=quotation.failed`)
    await failedQuote('ui')
    const id = await failedQuote()
    expect(quotesOf(await waiting)).toEqual([id])
  })

  it('responds with an empty page after the wait, and continues after hidden events', async () => {
    const { next } = await read('?after=latest')
    const waiting = read(`${next}&wait=1`)
    await failedQuote('ui')
    const { status, events, next: later } = await waiting
    expect([status, events]).toEqual([200, []])
    const after = new URLSearchParams(later).get('after')
    expect((await read(`?after=${after}&generation_source=all`)).events).toEqual([])
  })

  it('lets five requests of a key wait, answers the next one at once, and lets one wait again later', async () => {
    const { key } = await context.host.createKey('acme-admin')
    const { next } = await read('?after=latest', key)
    const sixth: string[] = []
    const waiting = Array.from({ length: 6 }, (_, index) =>
      read(`${next}&wait=20`, key).then((answer) => {
        if (answer.events.length === 0) sixth.push(`${index}`)
        return answer
      }),
    )
    await expect.poll(() => sixth).toHaveLength(1)
    const id = await failedQuote()
    const answers = await Promise.all(waiting)
    expect(answers.filter((answer) => quotesOf(answer)[0] === id)).toHaveLength(5)
    const again = read(`${(await read('?after=latest', key)).next}&wait=20`, key)
    const last = await failedQuote()
    expect(quotesOf(await again)).toEqual([last])
  })

  it('lets limits.eventWaits requests of a process wait, answers others at once, and lets more wait later', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      integrations: { limits: { eventWaits: 1, requestsPerMinute: 1000 } },
    })
    const keys = [await host.createKey('acme-admin'), await host.createKey('acme-admin')]
    for (let round = 0; round < 3; round += 1) {
      const answers: string[][] = []
      const both = keys.map(async ({ key }) => {
        const { next } = await read('?after=latest', key, host)
        answers.push(quotesOf(await read(`${next}&wait=20`, key, host)))
      })
      await expect.poll(() => answers).toEqual([[]])
      const id = await failedQuote('api_key', ACME, host)
      await Promise.all(both)
      expect(answers).toEqual([[], [id]])
    }
  })

  const keys = `/v1/organizations/${ACME}/api-keys`
  describe.each<[string, (host: Host, sql: Sql, id: string) => Promise<unknown>]>([
    ['API_KEY_REVOKED', (host, _, id) => host.call('DELETE', `${keys}/${id}`, { member: 'acme-admin' })],
    [
      'API_KEY_INACTIVE',
      (host, _, id) => host.call('POST', `${keys}/${id}/deactivate`, { member: 'acme-admin' }),
    ],
    [
      'API_KEY_EXPIRED',
      (_, sql, id) =>
        sql`update quickquote.api_keys set expires_at = now() - interval '1 second' where id = ${id}`,
    ],
  ])('a key that may no longer be used', (code, end) => {
    const refused = Array(5).fill([403, code])

    /** Five requests of a key that wait: a sixth was answered. */
    async function fiveWaiting(host: Host, seconds = 20) {
      const { id, key } = await host.createKey('acme-admin')
      const { next } = await read('?after=latest', key, host)
      const answers: [number, unknown][] = []
      const all = Array.from({ length: 6 }, async () => {
        const { status, body } = await read(`${next}&wait=${seconds}`, key, host)
        answers.push([status, body['code']])
      })
      await expect.poll(() => answers.length).toBe(1)
      expect(answers.pop()).toEqual([200, undefined])
      return {
        id,
        async answers() {
          await Promise.all(all)
          return answers
        },
      }
    }

    it(`gets ${code} instead of the next event`, async () => {
      const waiting = await fiveWaiting(context.host)
      await end(context.host, context.sql, waiting.id)
      await failedQuote()
      expect(await waiting.answers()).toEqual(refused)
    })

    it(`gets ${code} instead of an empty page`, async () => {
      // Of `latest` and the six: all later ones belong to waits that are over, and find the key as `end` left it.
      const first = 7
      let found = 0
      let hasEnded = () => {}
      const ended = new Promise<void>((resolve) => (hasEnded = resolve))
      const host = await openHost({
        databaseUrl: database.url,
        wrapStorage: (storage) => ({
          ...storage,
          apiKeys: {
            ...storage.apiKeys,
            async findByHash(hash) {
              found += 1
              if (found > first) await ended
              return storage.apiKeys.findByHash(hash)
            },
          },
        }),
      })
      const waiting = await fiveWaiting(host, 2)
      await end(host, database.sql, waiting.id)
      hasEnded()
      expect(await waiting.answers()).toEqual(refused)
    })
  })

  it('frees the place of a client that disconnects', async () => {
    const { key } = await context.host.createKey('acme-admin')
    const { next } = await read('?after=latest', key)
    const { hostname, port } = new URL(context.host.url)
    const sockets = Array.from({ length: 6 }, () => {
      const socket = connect(Number(port), hostname)
      socket.write(`GET ${PATH}${next}&wait=20 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`)
      return socket
    })
    // The sixth is answered at once: the five others wait.
    await Promise.race(sockets.map((socket) => once(socket, 'data')))
    for (const socket of sockets) socket.resetAndDestroy()
    // Without a place it would be answered at once until the waits are over, 20 s later.
    await expect
      .poll(
        async () => {
          const begun = performance.now()
          await read(`${next}&wait=2`, key)
          return performance.now() - begun
        },
        { timeout: 15_000 },
      )
      .toBeGreaterThan(1900)
  })

  it('answers waiting requests when the server closes', async () => {
    const host = await openHost({ databaseUrl: database.url })
    const { key } = await host.createKey('acme-admin')
    const { next } = await read('?after=latest', key, host)
    const waiting = read(`${next}&wait=20`, key, host)
    await expect.poll(() => host.logs.filter((line) => line.includes('wait=20')).length).toBeGreaterThan(0)
    await host.close()
    expect(await waiting).toMatchObject({ status: 200, events: [] })
  })

  it('lets a hundred requests wait without a database connection, and answers others; when it closes, all end at once', async () => {
    let reads = 0
    const host = await openHost({
      databaseUrl: database.url,
      integrations: { limits: { requestsPerMinute: 10_000, eventWaitsPerApiKey: 100 } },
      wrapStorage: (storage) => ({
        ...storage,
        eventFeed: {
          ...storage.eventFeed,
          async read(...query) {
            const part = await storage.eventFeed.read(...query)
            reads += 1
            return part
          },
        },
      }),
    })
    const { key } = await host.createKey('acme-admin')
    const { key: other } = await host.createKey('globex-admin')
    const { next } = await read('?after=latest', key, host)
    const { next: otherNext } = await read('?after=latest', other, host)
    let answered = 0
    const waiting: Promise<unknown>[] = []
    const readsBefore = reads
    // One of them is answered at once: the hundred others wait. A few at a time, or some would wait for a connection.
    for (let count = 1; count <= 101; count += 1) {
      waiting.push(
        read(`${next}&wait=20`, key, host).then(({ status, events }) => {
          answered += 1
          return [status, events]
        }),
      )
      if (count % 4 === 0) await expect.poll(() => reads, { interval: 5 }).toBe(readsBefore + count)
    }
    await expect.poll(() => answered).toBe(1)
    const globex = read(`${otherNext}&wait=20`, other, host)
    expect((await host.call('GET', '/v1/integrations/quotations', { key })).status).toBe(200)
    const id = await failedQuote('api_key', GLOBEX, host)
    expect(quotesOf(await globex)).toEqual([id])
    expect(answered).toBe(1)
    const readsWaiting = reads
    await host.close()
    expect(await Promise.all(waiting)).toEqual(Array(101).fill([200, []]))
    // A hundred statements at once would wait for connections, and be refused after 5 s.
    expect(reads).toBe(readsWaiting)
  })
})
