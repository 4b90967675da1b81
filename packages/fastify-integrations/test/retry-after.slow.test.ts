import { setTimeout as sleep } from 'node:timers/promises'
import { hasRedis, type RedisServer, startRedis } from '@quickquote/dev-servers'
import { Redis } from 'ioredis'
import { it } from 'vitest'
import { NOWHERE, startHost, useDatabase } from './support/host.ts'

const database = useDatabase()
const START = '/v1/integrations/quotations'
const READ = `${START}/${NOWHERE}`
const TIMEOUT_MS = 180_000

type Store = readonly [name: string, start: () => Promise<RedisServer | null>]
const STORES: readonly Store[] = [
  ['in memory', async () => null],
  ...(hasRedis || process.env['CI'] !== undefined ? ([['on Redis', startRedis]] as const) : []),
]

/** In real time, once. Other tests use a fake clock. */
it.concurrent.for(STORES)(
  'a request after Retry-After is accepted (%s)',
  { timeout: TIMEOUT_MS },
  async ([, startServer], { expect }) => {
    const server: RedisServer | null = await startServer()
    const redis = server === null ? null : new Redis({ port: server.port, host: '127.0.0.1' })
    const limits = { requestsPerMinute: 4, startsPerMinute: 1 }
    const host = await startHost({
      databaseUrl: database.url,
      integrations: { limits },
      plugin: redis === null ? {} : { redis },
    })
    const { key } = await host.createKey()
    const json = { requirementsText: 'x' }
    const read = async (): Promise<number> => (await host.call('GET', READ, { key })).status
    const startQuote = () => host.call('POST', START, { key, json })

    expect([await read(), await read()]).toEqual([404, 404])
    await sleep(5000)
    expect([(await startQuote()).status, await read()]).toEqual([202, 404])
    const refused = await startQuote()
    expect(refused.status).toBe(429)
    // The general limit has room in less than a minute, the limit of starts five seconds later: that is the longer wait.
    const fields = /^"requests";r=0;t=(\d+), "starts";r=0;t=(\d+)$/.exec(
      refused.headers.get('ratelimit') ?? '',
    )
    expect(refused.headers.get('retry-after')).toBe(fields?.[2])
    const sooner: Promise<number> = sleep(Number(fields?.[1]) * 1000).then(read)
    await sleep(Number(refused.headers.get('retry-after')) * 1000)
    expect(await sooner).toBe(404)
    expect((await startQuote()).status).toBe(202)

    await host.close()
    redis?.disconnect()
    await server?.stop()
  },
)
