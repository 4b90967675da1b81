import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, BenchContext } from './bench.ts'
import { openOutbox } from './delivery/outbox.ts'
import { postgresCpuSeconds } from './delivery/postgres-cpu.ts'
import { startFastReceiver } from './delivery/receiver.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { medianOf, ratioOf, takeTurns } from './rounds.ts'
import type { ScalingHost } from './scaling-host.ts'
import { times } from './table.ts'

/** The event of scaling-host.ts, which serves its parent as soon as it is imported. */
const EMITTED = 'bench.happened'
const PROCESSES = [1, 2, 4, 8]
const ENDPOINTS = 200
const DELIVERIES = 10_000
const EVENTS = 3000
const LOOK_EVERY_MS = 20

export const scaling: Bench = {
  name: 'scaling',
  title: 'The throughput of one PostgreSQL, with 1, 2, 4 and 8 processes on the same processors',

  async run(context) {
    const receiver = await startFastReceiver(context)
    const urls = Array.from({ length: ENDPOINTS }, (_, n) => `${receiver.origin}/${n}`)
    const outbox = await openOutbox(context, { urls })
    const hosts = await startHosts(context, outbox.databaseUrl)
    const workers: ReturnType<typeof context.start<WorkerProcess>>[] = []
    for (const _ of PROCESSES) {
      const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
      await worker.call('open', { databaseUrl: outbox.databaseUrl, ca: receiver.ca })
      workers.push(worker)
    }
    const { sql, endpoints } = outbox
    // Each event has one delivery, which these rounds do not send.
    await sql`update quickquote.webhook_endpoints set events = events || ${EMITTED}::text`
    const organizationIds = endpoints.map(({ organizationId }) => organizationId)

    /** CPU time of all processes of a side, and of PostgreSQL. */
    async function cpuOf(processes: readonly { call(name: 'cpuSeconds'): Promise<number> }[]) {
      const own = await Promise.all(processes.map((each) => each.call('cpuSeconds')))
      return { own: own.reduce((sum, seconds) => sum + seconds, 0), postgres: await postgresCpuSeconds(sql) }
    }

    async function measure(
      processes: Parameters<typeof cpuOf>[0],
      { items, work }: { items: number; work: () => Promise<void> },
    ) {
      const before = await cpuOf(processes)
      const begun = performance.now()
      await work()
      const seconds = (performance.now() - begun) / 1000
      const after = await cpuOf(processes)
      return {
        'per second': items / seconds,
        'own us': ((after.own - before.own) / items) * 1e6,
        'PostgreSQL us': ((after.postgres - before.postgres) / items) * 1e6,
      }
    }

    async function accept(count: number) {
      const chosen = hosts.slice(0, count)
      const share = { count: EVENTS / count, organizationIds }
      const figures = await measure(chosen, {
        items: EVENTS,
        work: async () => void (await Promise.all(chosen.map((host) => host.call('emit', share)))),
      })
      await sql`truncate quickquote.deliveries`
      return figures
    }

    async function deliver(count: number) {
      await outbox.fill(DELIVERIES)
      const chosen = workers.slice(0, count)
      const figures = await measure(chosen, { items: DELIVERIES, work: () => drain(chosen) })
      await Promise.all(chosen.map((worker) => worker.call('stop')))
      return figures
    }

    async function drain(chosen: typeof workers): Promise<void> {
      await Promise.all(chosen.map((worker) => worker.call('start')))
      for (;;) {
        const [row] = await sql`select from quickquote.deliveries limit 1`
        if (row === undefined) return
        await sleep(LOOK_EVERY_MS)
      }
    }

    const contenders = [
      ...PROCESSES.map((count) => ({
        name: `events accepted, ${count} hosts`,
        measure: () => accept(count),
      })),
      ...PROCESSES.map((count) => ({
        name: `deliveries, ${count} workers`,
        measure: () => deliver(count),
      })),
    ]
    const measured = await takeTurns(contenders, { rounds: context.rounds, onRound: context.progress })
    await outbox.close()
    await receiver.stop()
    const rows = measured.map((each, index) => {
      const base = measured[index - (index % PROCESSES.length)]
      assert(base !== undefined)
      const { median, lowest, highest } = ratioOf(each, base, 'per second')
      return [
        each.name,
        medianOf(each, 'per second').toFixed(0),
        times(median),
        `${times(lowest)} – ${times(highest)}`,
        medianOf(each, 'own us').toFixed(0),
        medianOf(each, 'PostgreSQL us').toFixed(0),
        (1e6 / medianOf(each, 'PostgreSQL us')).toFixed(0),
      ]
    })
    return {
      head: [
        '',
        'per second',
        'against one',
        'lowest – highest round',
        'CPU of the processes, us per item',
        'of PostgreSQL, us per item',
        'items/s per core of PostgreSQL',
      ],
      rows,
      notes: [`${EVENTS} events and ${DELIVERIES} deliveries a round; receiver: ${receiver.kind}.`],
    }
  },
}

async function startHosts(context: BenchContext, databaseUrl: string) {
  const hosts = PROCESSES.map(() => context.start<ScalingHost>('./scaling-host.js'))
  await Promise.all(hosts.map((host) => host.call('open', databaseUrl)))
  return hosts
}
