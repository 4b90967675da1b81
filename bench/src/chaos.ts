import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { memberOf } from '@quickquote/core'
import { ATTEMPT_STATUSES, type AttemptStatus } from '@quickquote/core/internal'
import { createCertificate, type EmbeddedPostgres, startPostgres } from '@quickquote/dev-servers'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import type { Bench, BenchContext } from './bench.ts'
import type { ChaosHost } from './chaos/host-process.ts'
import { CHAOS_EVENT, createChaosIntegrations } from './chaos/integrations.ts'
import type { ChaosReceiver } from './chaos/receiver-process.ts'
import { type Reconciliation, type RecordedAttempt, reconcile, type SeenRequest } from './chaos/reconcile.ts'
import { openRecords, type Records, type Remains } from './chaos/records.ts'
import type { ChaosWorker } from './chaos/worker-process.ts'
import { formatTable } from './table.ts'

const WORKERS = 3
const ORGANIZATIONS = 6
/** Slow enough, and long enough, for each kind of disturbance to hit events. */
const EVENTS_PER_SECOND = 300
const LEAST_SECONDS = 30
const BURST_MS = 500
const DISTURB_EVERY_MS = 4000
/** Of each kind. */
const LEAST_DISTURBANCES = 2
/** Workers count as dead after 5 seconds: some pauses are shorter, others longer. */
const LONGEST_PAUSE_MS = 10_000
const SECONDS_PER_RESTART = 30
const DOWN_MS = 500
/** The longest wait for an attempt is 4 seconds, so no progress for this long means none at all. */
const PATIENCE_MS = 60_000
const TAKE_AT_ONCE = 20_000
const EXAMPLES = 3

export const chaos: Bench = {
  name: 'chaos',
  title: 'Workers killed, paused and replaced, PostgreSQL restarted in immediate mode, misbehaving receivers',
  isOneRun: true,

  async run(context) {
    // A server of its own, to restart. Without fsync, which makes no difference to an immediate restart.
    const postgres = await startPostgres({
      dataDir: join(tmpdir(), `quickquote-chaos-${randomUUID()}`),
      persistent: false,
    })
    try {
      return await runOn(postgres, context)
    } finally {
      await postgres.stop()
    }
  },
}

async function runOn(postgres: EmbeddedPostgres, context: BenchContext) {
  const { events, progress } = context
  const begun = performance.now()
  const databaseUrl = await postgres.createDatabase()
  const certificate = await createCertificate()
  const receiver = context.start<ChaosReceiver>('./chaos/receiver-process.js')
  const urls = await receiver.call('listen', certificate)
  const organizationIds = await createEndpoints(databaseUrl, urls)
  const host = context.start<ChaosHost>('./chaos/host-process.js')
  await host.call('open', databaseUrl)

  async function startWorker() {
    const worker = context.start<ChaosWorker>('./chaos/worker-process.js')
    await worker.call('start', { databaseUrl, ca: certificate.cert })
    return worker
  }

  const workers = await Promise.all(Array.from({ length: WORKERS }, startWorker))
  const seconds = Math.max(LEAST_SECONDS, events / EVENTS_PER_SECOND)
  const restartsPlanned = Math.max(1, Math.round(seconds / SECONDS_PER_RESTART))
  const accepted: string[] = []
  const emitted = { failures: 0, isOver: false }
  const done = { kills: 0, pauses: 0, departures: 0, restarts: 0 }

  async function emitAll(): Promise<void> {
    const perBurst = Math.ceil((events * BURST_MS) / (seconds * 1000))
    while (accepted.length < events) {
      const nextBurst = sleep(BURST_MS)
      const count = Math.min(perBurst, events - accepted.length)
      const burst = await host.call('emit', { count, organizationIds })
      accepted.push(...burst.accepted)
      emitted.failures += burst.failures
      await nextBurst
    }
  }

  function anyWorker() {
    const [worker] = workers.splice(Math.floor(Math.random() * workers.length), 1)
    assert(worker !== undefined)
    return worker
  }

  const disturbances = {
    async kills() {
      await anyWorker().kill()
      workers.push(await startWorker())
    },
    async pauses() {
      const worker = anyWorker()
      worker.pause()
      await sleep(Math.random() * LONGEST_PAUSE_MS)
      worker.resume()
      workers.push(worker)
    },
    /** The new one joins before the old one leaves, as in a deployment. */
    async departures() {
      const leaving = anyWorker()
      workers.push(await startWorker())
      await leaving.call('stop')
      await leaving.stop()
    },
  }

  async function disturbWorkers(): Promise<void> {
    for (let round = 1; !(emitted.isOver && round > LEAST_DISTURBANCES); round += 1) {
      for (const [kind, disturb] of Object.entries(disturbances) as [
        keyof typeof disturbances,
        () => Promise<void>,
      ][]) {
        await sleep(DISTURB_EVERY_MS * (0.5 + Math.random()))
        await disturb()
        done[kind] += 1
        progress(`${accepted.length} events; workers: ${done[kind]} ${kind}`)
      }
    }
  }

  async function restartPostgres(): Promise<void> {
    while (done.restarts < restartsPlanned) {
      const due = (events * (done.restarts + 1)) / (restartsPlanned + 1)
      while (accepted.length < due) await sleep(BURST_MS / 2)
      await postgres.restart({ mode: 'immediate', whileDown: () => sleep(DOWN_MS) })
      done.restarts += 1
      progress(`${accepted.length} events; PostgreSQL restarted (${done.restarts})`)
    }
  }

  const emitting = emitAll().finally(() => {
    emitted.isOver = true
  })
  await Promise.all([emitting, disturbWorkers(), restartPostgres()])
  const records = openRecords(databaseUrl)
  await untilSettled(records, workers.length, progress)
  for (const worker of workers) await worker.call('stop')
  const took = (performance.now() - begun) / 1000

  const requests: SeenRequest[] = []
  for (let part = await receiver.call('take', TAKE_AT_ONCE); part.length > 0; ) {
    requests.push(...part)
    part = await receiver.call('take', TAKE_AT_ONCE)
  }
  const attempts = await records.allAttempts()
  const recorded = await records.allEvents()
  const remains = await records.remains()
  await records.close()

  const found = reconcile({ maxAttempts: 8, accepted, events: recorded, attempts, requests })
  const head = ['', 'count']
  const rows = [
    ['events accepted', accepted.length],
    ['emissions that failed and were repeated', emitted.failures],
    ['of these, recorded nevertheless', recorded.length - accepted.length],
    ['deliveries', found.deliveries],
    ['  delivered', found.delivered],
    ['  ended by a 410', found.gone],
    ['  given up after 8 attempts', found.usedUp],
    ['requests that receivers saw', requests.length],
    ['  duplicates of a success', found.duplicates],
    ['  cut off (worker killed or paused)', found.cutOff],
    ['  answered late', found.unheard],
    ['attempts recorded', attempts.length],
    ...ATTEMPT_STATUSES.map((status) => [`  ${status}`, countOf(attempts, status)]),
    ['  never seen by the receiver', found.unseen],
    ['most attempts of one delivery', attempts.reduce((most, { attempt }) => Math.max(most, attempt), 0)],
    ['left in the queue, leases, workers', `${remains.queued}, ${remains.leased}, ${remains.workers}`],
    ['workers killed', done.kills],
    ['workers paused', done.pauses],
    ['workers replaced', done.departures],
    ['PostgreSQL restarted', done.restarts],
    ['seconds', Math.round(took)],
    ['broken promises', found.problems.length],
  ].map((row) => row.map(String))
  assertKept(found, remains, formatTable(head, rows))
  return { head, rows, notes: [] }
}

/** Creates organizations with the receivers as endpoints, and returns them. */
async function createEndpoints(databaseUrl: string, urls: readonly string[]): Promise<string[]> {
  const storage = drizzleStorage({ connectionString: databaseUrl })
  await storage.migrate()
  const integrations = createChaosIntegrations(storage)
  const organizationIds = Array.from({ length: ORGANIZATIONS }, () => randomUUID())
  for (const [n, url] of urls.entries()) {
    const organizationId = organizationIds[n % ORGANIZATIONS] ?? ''
    const session = { memberId: 'bench', organizations: [{ id: organizationId, role: 'admin' }] }
    await integrations.webhookEndpoints.create(memberOf(session, organizationId), {
      name: 'Chaos',
      url,
      events: [CHAOS_EVENT],
    })
  }
  await integrations.close()
  return organizationIds
}

/** Resolves when all is delivered or given up, and no dead worker is left. */
async function untilSettled(
  records: Records,
  liveWorkers: number,
  progress: BenchContext['progress'],
): Promise<void> {
  let [attempts, since] = [-1, performance.now()]
  for (;;) {
    const { queued, leased, workers } = await records.remains()
    if (queued === 0 && workers === liveWorkers) return
    const now = await records.countAttempts()
    if (now !== attempts) [attempts, since] = [now, performance.now()]
    const state = `${now} attempts, ${queued} queued, ${leased} leased, ${workers} workers`
    assert(performance.now() - since < PATIENCE_MS, `No more progress: ${state}`)
    progress(state)
    await sleep(1000)
  }
}

function assertKept({ problems }: Reconciliation, { queued, leased, workers }: Remains, table: string): void {
  const promises = [...new Set(problems.map(({ promise }) => promise))]
  const lines = promises.flatMap((promise) => {
    const broken = problems.filter((problem) => problem.promise === promise)
    const examples = broken.slice(0, EXAMPLES).map(({ detail }) => `  ${detail}`)
    return [`${promise}: broken ${broken.length} times`, ...examples]
  })
  if (queued + leased + workers > 0)
    lines.push('nothing is left in the queue, no lease and no worker: broken')
  if (lines.length > 0) throw new Error(`Broken promises\n\n${table}\n\n${lines.join('\n')}`)
}

function countOf(attempts: readonly RecordedAttempt[], status: AttemptStatus): number {
  return attempts.reduce((count, attempt) => count + (attempt.status === status ? 1 : 0), 0)
}
