import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_LIMITS } from '@quickquote/core'
import type { Bench } from './bench.ts'
import type { EventWaiters } from './event-waiters.ts'
import { atMost } from './goal.ts'
import type { LoadService } from './load.ts'
import { createPartnerData } from './partner-data.ts'
import type { PartnerHost } from './partner-host.ts'
import { type Contender, medianOf, ratioOf, takeTurns } from './rounds.ts'
import { percent } from './table.ts'

const { eventWaits: WAITS, eventWaitsPerApiKey } = DEFAULT_LIMITS
const MIB = 1024 * 1024
/** Below the server's limit, at which any other work would show in the latency. */
const IN_FLIGHT = 4

type WaitFigures = {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly heapMib: number
  readonly rssMib: number
}

export const eventWaits: Bench = {
  name: 'event-waits',
  title: `GET of a summary while ${WAITS.toLocaleString('en')} requests of the same process wait for events`,

  async run(context) {
    const databaseUrl = await context.postgres.createDatabase()
    const data = await createPartnerData(databaseUrl, { schema: 'quickquote', keys: 1000 })
    const host = context.start<PartnerHost>('./partner-host.js')
    const origin = await host.call('listen', data)
    const client = context.start<LoadService>('./load.js')
    const waiters = context.start<EventWaiters>('./event-waiters.js')
    const waitingKeys = data.apiKeys.slice(0, WAITS / eventWaitsPerApiKey)

    async function read(): Promise<WaitFigures> {
      const { p50Ms, p99Ms } = await client.call('run', {
        origin,
        method: 'GET',
        body: null,
        paths: data.quotationIds.map((id) => `/v1/integrations/quotations/${id}`),
        apiKeys: data.apiKeys.slice(waitingKeys.length),
        inFlight: IN_FLIGHT,
        seconds: context.seconds,
        expectedStatus: 200,
      })
      const { heapBytes, rssBytes } = await host.call('footprint')
      return { p50Ms, p99Ms, heapMib: heapBytes / MIB, rssMib: rssBytes / MIB }
    }
    const alone: Contender<WaitFigures> = { name: 'nobody waits', measure: read }
    const beside: Contender<WaitFigures> = {
      name: `${WAITS} wait`,
      async measure() {
        await waiters.call('hold', { origin, apiKeys: waitingKeys, count: WAITS })
        // Until all of them wait: opening them is not measured.
        while ((await host.call('connections')) < WAITS) await sleep(50)
        await sleep(1000)
        const figures = await read()
        await waiters.call('release')
        while ((await host.call('connections')) > IN_FLIGHT) await sleep(50)
        return figures
      },
    }
    const [without, during] = await takeTurns([alone, beside], {
      rounds: context.rounds,
      onRound: context.progress,
    })
    assert(without !== undefined && during !== undefined)
    const row = (side: typeof without) => [
      side.name,
      ...(['p50Ms', 'p99Ms', 'heapMib', 'rssMib'] as const).map((name) => medianOf(side, name).toFixed(1)),
    ]
    const growthMib = medianOf(during, 'rssMib') - medianOf(without, 'rssMib')
    return {
      head: ['', 'p50 ms', 'p99 ms', 'heap MiB', 'resident MiB'],
      rows: [row(without), row(during)],
      notes: [
        `${IN_FLIGHT} requests in flight beside the waiting ones. Memory is after a garbage collection.`,
      ],
      goals: [
        atMost({
          goal: `Latency of others while ${WAITS} wait for events, p50`,
          value: ratioOf(during, without, 'p50Ms').median,
          must: 1.1,
          format: percent,
        }),
        atMost({
          goal: `Memory of ${WAITS} requests waiting for events`,
          value: growthMib,
          must: 50,
          format: (value) => `${value.toFixed(0)} MiB`,
        }),
      ],
    }
  },
}
