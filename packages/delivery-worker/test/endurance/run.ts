import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCertificate } from '@quickquote/dev-servers'
import { type Child, type Service, startChild } from '@quickquote/dev-servers/child'
import { openChance, shuffled } from './chance.ts'
import type { Host, Receiver, Worker } from './programs.ts'
import { type LostPrimary, reconcile, type SeenRequest } from './reconcile.ts'
import { openRecords, type Records } from './records.ts'

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
const SECONDS_PER_OUTAGE = 30
/** A restart, the failover, and a restart of the new primary. */
const LEAST_OUTAGES = 3
const LONGEST_OUTAGE_MS = 1000
/** The longest wait for an attempt is 4 seconds, so no progress for this long means none at all. */
const PATIENCE_MS = 60_000
const TAKE_AT_ONCE = 20_000

export interface ChaosDatabase {
  readonly url: string
  /** Ends the server that takes writes, and starts it again after `downMs`. */
  restart(downMs: number): Promise<void>
  /** Ends the primary, and promotes its standby after `downMs`. Called once. */
  failOver(downMs: number): Promise<void>
  /** Of the new primary. */
  readonly lastUrl: string
  /** Starts the old primary, if it may have had something that the standby never got. @returns its URL */
  findLostPrimary(): Promise<string | undefined>
}

export interface ChaosOptions {
  readonly database: ChaosDatabase
  readonly events: number
  /** Decides what is killed, paused, replaced and restarted, and when. */
  readonly seed: number
  readonly onEnd: (stop: () => Promise<void>) => void
}

/** Emits events through workers, a database and receivers that fail, until all is delivered or given up. */
export async function runChaos({ database, events, seed, onEnd }: ChaosOptions) {
  const begun = performance.now()
  const databaseUrl = database.url
  const chance = openChance(seed)
  function startProgram<S extends Service>(program: string): Child<S> {
    const child = startChild<S>(new URL(program, import.meta.url))
    onEnd(() => child.stop())
    return child
  }

  const certificate = await createCertificate()
  const receiver = startProgram<Receiver>('receiver-process.js')
  const urls = await receiver.call('listen', certificate)
  const organizationIds = Array.from({ length: ORGANIZATIONS }, () => randomUUID())
  const host = startProgram<Host>('host-process.js')
  await host.call('open', { databaseUrl, urls, organizationIds })
  await host.call('deliver', { ca: certificate.cert })

  async function startWorker() {
    const worker = startProgram<Worker>('worker-process.js')
    await worker.call('start', { databaseUrl, ca: certificate.cert })
    return worker
  }

  const workers = await Promise.all(Array.from({ length: WORKERS }, startWorker))
  const seconds = Math.max(LEAST_SECONDS, events / EVENTS_PER_SECOND)
  const outages = planOutages(events, seconds, chance)
  const accepted: string[] = []
  const emitted = { failures: 0, isOver: false }
  const done = { kills: 0, pauses: 0, departures: 0, restarts: 0, failovers: 0 }

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
    const [worker] = workers.splice(Math.floor(chance() * workers.length), 1)
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
      await sleep(chance() * LONGEST_PAUSE_MS)
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
      for (const kind of shuffled(['kills', 'pauses', 'departures'] as const, chance)) {
        await sleep(DISTURB_EVERY_MS * (0.5 + chance()))
        await disturbances[kind]()
        done[kind] += 1
      }
    }
  }

  async function disturbDatabase(): Promise<void> {
    for (const { kind, due, downMs } of outages) {
      while (accepted.length < due) await sleep(BURST_MS / 2)
      if (kind === 'restarts') await database.restart(downMs)
      else await database.failOver(downMs)
      done[kind] += 1
    }
  }

  const emitting = emitAll().finally(() => {
    emitted.isOver = true
  })
  await Promise.all([emitting, disturbWorkers(), disturbDatabase()])
  const records = openRecords(database.lastUrl)
  await untilSettled(records, workers.length + 1)
  for (const worker of workers) await worker.call('stop')
  await host.call('stopDelivering')

  const requests: SeenRequest[] = []
  for (let part = await receiver.call('take', TAKE_AT_ONCE); part.length > 0; ) {
    requests.push(...part)
    part = await receiver.call('take', TAKE_AT_ONCE)
  }
  const evidence = {
    maxAttempts: 8,
    accepted,
    failures: emitted.failures,
    events: await records.allEvents(),
    attempts: await records.allAttempts(),
    requests,
    ...(await readLostPrimary(database)),
  }
  const remains = await records.remains()
  await records.close()

  const minutes = (performance.now() - begun) / 60_000
  return {
    seed,
    minutes: Number(minutes.toFixed(1)),
    accepted: accepted.length,
    repeated: emitted.failures,
    done,
    remains,
    ...reconcile(evidence),
  }
}

/** When the database fails: one failover, with a restart before it and another after it. */
function planOutages(events: number, seconds: number, chance: () => number) {
  const count = Math.max(LEAST_OUTAGES, Math.round(seconds / SECONDS_PER_OUTAGE))
  const failover = 1 + Math.floor(chance() * (count - 2))
  return Array.from({ length: count }, (_, n) => ({
    kind: n === failover ? ('failovers' as const) : ('restarts' as const),
    /** After so many events. */
    due: (events * (n + 0.5 + chance())) / (count + 1),
    downMs: chance() * LONGEST_OUTAGE_MS,
  }))
}

async function readLostPrimary(database: ChaosDatabase): Promise<{ lostPrimary?: LostPrimary }> {
  const url = await database.findLostPrimary()
  if (url === undefined) return {}
  const records = openRecords(url)
  const lostPrimary = {
    events: await records.allEvents(),
    attempts: await records.allAttempts(),
    begun: await records.allBegun(),
  }
  await records.close()
  return { lostPrimary }
}

/** Resolves when all is delivered or given up, and no dead worker is left. */
async function untilSettled(records: Records, liveWorkers: number): Promise<void> {
  let [attempts, since] = [-1, performance.now()]
  for (;;) {
    const { queued, leased, workers } = await records.remains()
    if (queued === 0 && workers === liveWorkers) return
    const now = await records.countAttempts()
    if (now !== attempts) [attempts, since] = [now, performance.now()]
    const state = `${now} attempts, ${queued} queued, ${leased} leased, ${workers} workers`
    assert(performance.now() - since < PATIENCE_MS, `No more progress: ${state}`)
    await sleep(1000)
  }
}
