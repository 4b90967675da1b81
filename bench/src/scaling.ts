import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import type { Bench, BenchContext } from './bench.ts'
import { openOutbox } from './delivery/outbox.ts'
import { postgresCpuSeconds, serverPids } from './delivery/postgres-cpu.ts'
import { startFastReceiver } from './delivery/receiver.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { medianOf, ratioOf, takeTurns } from './rounds.ts'
import type { ScalingHost } from './scaling-host.ts'
import { times } from './table.ts'

/** The event of scaling-host.ts, which serves its parent as soon as it is imported. */
const EMITTED = 'bench.happened'
const PROCESSES = [1, 2, 4, 8]
const MOST = Math.max(...PROCESSES)
const ENDPOINTS = 200
const DELIVERIES = 30_000
/** Before and after them: sockets are open, and all workers are busy. */
const SLACK = 5000
/** Before the first round. V8 has compiled a worker after some ten thousand deliveries, and each worker has its own V8. */
const WARM_UP = 120_000
const EVENTS = 3000
const LOOK_EVERY_MS = 20

const TITLE = 'The throughput of one PostgreSQL, with 1, 2, 4 and 8 processes on'

export const scaling: Bench = {
  name: 'scaling',
  title: `${TITLE} the same processors`,
  run: (context) => run(context, { isApart: false }),
}

/** On Linux with at least two processors. */
export const scalingApart: Bench = {
  name: 'scaling-apart',
  title: `${TITLE} other processors than its own`,
  run: (context) => run(context, { isApart: true }),
}

async function run(context: BenchContext, { isApart }: { isApart: boolean }): ReturnType<Bench['run']> {
  const receiver = await startFastReceiver(context)
  const urls = Array.from({ length: ENDPOINTS }, (_, n) => `${receiver.origin}/${n}`)
  const outbox = await openOutbox(context, { urls })
  const hosts = await startHosts(context, outbox.databaseUrl)
  const workers: ReturnType<typeof context.start<WorkerProcess>>[] = []
  for (let started = 0; started < MOST; started += 1) {
    const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
    await worker.call('open', { databaseUrl: outbox.databaseUrl, ca: receiver.ca })
    workers.push(worker)
  }
  const { sql, endpoints } = outbox
  // Each event has one delivery, which these rounds do not send.
  await sql`update quickquote.webhook_endpoints set events = events || ${EMITTED}::text`
  const organizationIds = endpoints.map(({ organizationId }) => organizationId)
  if (isApart) await keepPostgresApart(sql)

  /** CPU time of all processes of a side, and of PostgreSQL. */
  async function cpuOf(processes: readonly { call(name: 'cpuSeconds'): Promise<number> }[]) {
    const own = await Promise.all(processes.map((each) => each.call('cpuSeconds')))
    return { own: own.reduce((sum, seconds) => sum + seconds, 0), postgres: await postgresCpuSeconds(sql) }
  }

  /** @param work returns how many items it has done */
  async function measure(processes: Parameters<typeof cpuOf>[0], work: () => Promise<number>) {
    const before = await cpuOf(processes)
    const begun = performance.now()
    const items = await work()
    const seconds = (performance.now() - begun) / 1000
    const after = await cpuOf(processes)
    return {
      'per second': items / seconds,
      'own us': ((after.own - before.own) / items) * 1e6,
      'PostgreSQL us': ((after.postgres - before.postgres) / items) * 1e6,
      seconds,
    }
  }

  async function accept(count: number) {
    const chosen = hosts.slice(0, count)
    const share = { count: EVENTS / count, organizationIds }
    const figures = await measure(chosen, async () => {
      await Promise.all(chosen.map((host) => host.call('emit', share)))
      return EVENTS
    })
    await sql`truncate quickquote.deliveries`
    return { ...figures, rounds: Number.NaN, 'lock waits': Number.NaN }
  }

  async function deliver(count: number, deliveries = DELIVERIES) {
    await outbox.fill(deliveries + 2 * SLACK)
    const chosen = workers.slice(0, count)
    const start = await progressOf(chosen)
    await Promise.all(chosen.map((worker) => worker.call('start')))
    const begun = await recordedBy(chosen, start.recorded + SLACK)
    const waiting: number[] = []
    let end = begun
    const figures = await measure(chosen, async () => {
      end = await recordedBy(chosen, begun.recorded + deliveries, waiting)
      return end.recorded - begun.recorded
    })
    await recordedBy(chosen, start.recorded + deliveries + 2 * SLACK)
    await Promise.all(chosen.map((worker) => worker.call('stop')))
    return {
      ...figures,
      rounds: (end.rounds - begun.rounds) / figures.seconds,
      'lock waits': waiting.reduce((sum, each) => sum + each, 0) / waiting.length,
    }
  }

  async function progressOf(chosen: typeof workers) {
    const each = await Promise.all(chosen.map((worker) => worker.call('progress')))
    const sum = (name: 'recorded' | 'rounds') => each.reduce((total, worker) => total + worker[name], 0)
    return { recorded: sum('recorded'), rounds: sum('rounds') }
  }

  /** @param waiting gets the number of connections that waited for a lock at each look */
  async function recordedBy(chosen: typeof workers, deliveries: number, waiting: number[] = []) {
    for (;;) {
      const progress = await progressOf(chosen)
      if (progress.recorded >= deliveries) return progress
      const [look] = await sql<{ count: number }[]>`
        select count(*)::int from pg_stat_activity where wait_event_type = 'Lock'`
      waiting.push(look?.count ?? 0)
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
  await deliver(MOST, WARM_UP)
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
      ...[medianOf(each, 'rounds').toFixed(0), medianOf(each, 'lock waits').toFixed(2)].map((text) =>
        text === 'NaN' ? '' : text,
      ),
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
      'rounds/s',
      'connections waiting for a lock',
    ],
    rows,
    notes: [`${EVENTS} events and ${DELIVERIES} deliveries a round; receiver: ${receiver.kind}.`],
  }
}

/** PostgreSQL gets the first processor, and everything else the others. */
async function keepPostgresApart(sql: Sql): Promise<void> {
  const others = `1-${availableParallelism() - 1}`
  const server = await serverPids(sql)
  const bench = execFileSync('pgrep', ['-P', String(process.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
  for (const pid of [String(process.pid), ...bench]) {
    if (!server.includes(pid)) execFileSync('taskset', ['-acp', others, pid])
  }
  for (const pid of server) execFileSync('taskset', ['-acp', '0', pid])
}

async function startHosts(context: BenchContext, databaseUrl: string) {
  const hosts = Array.from({ length: MOST }, () => context.start<ScalingHost>('./scaling-host.js'))
  await Promise.all(hosts.map((host) => host.call('open', databaseUrl)))
  return hosts
}
