import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostTransaction } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { v7 as uuidv7 } from 'uuid'
import type { Bench } from './bench.ts'
import { quantile, startArrivalReceiver } from './delivery/arrivals.ts'
import { type Endpoint, type Outbox, openOutbox } from './delivery/outbox.ts'
import { benchEvent } from './delivery/payload.ts'
import type { WorkerProcess } from './delivery/worker-process.ts'
import { atLeast, atMost } from './goal.ts'
import { medianOf, ratioOf, takeTurns } from './rounds.ts'
import { milliseconds, percent, times } from './table.ts'
import { monotonicMs } from './usage.ts'

/** Of the host, at once. */
const CLIENTS = 8
/** As on a disk that takes 5 ms to flush. */
const SLOW_COMMITS = { commit_delay: '5000', commit_siblings: '0' }
/** The default of `delivery.pollMs` with `notify: false`. */
const POLL_MS = 250
const EVERY_MS = 20

/** Writes its own row, and more in the same transaction. */
type Work = (tx: postgres.TransactionSql) => Promise<unknown>

export const hostCommits: Bench = {
  name: 'host-commits',
  title: 'Commits of a host whose transactions emit events, where a commit takes 5 ms',

  async run(context) {
    const receiver = await startArrivalReceiver(context)
    const outbox = await openOutbox(context, { urls: [`${receiver.origin}/0`] })
    const host = postgres(outbox.databaseUrl, { max: CLIENTS, connection: SLOW_COMMITS, onnotice() {} })
    await host`create table notes (note text)`
    const write = (tx: postgres.TransactionSql) => tx`insert into notes values ('of the host')`

    async function commit(work: Work): Promise<void> {
      await host.begin(async (tx) => {
        await write(tx)
        await work(tx)
      })
    }

    /** Commits a second. */
    const contender = (name: string, work: Work) => ({
      name,
      async measure() {
        const until = monotonicMs() + context.seconds * 1000
        let count = 0
        const client = async () => {
          for (; monotonicMs() < until; count += 1) await commit(work)
        }
        await Promise.all(Array.from({ length: CLIENTS }, client))
        return { perSecond: count / context.seconds }
      },
    })

    try {
      const rounds = { rounds: context.rounds, onRound: context.progress }
      const emitting = (notify: boolean) => (tx: postgres.TransactionSql) => emit(outbox, tx, { notify })
      const [without, quiet, loud] = await takeTurns(
        [
          contender('the statement of an event, without us', await statementOf(outbox, host)),
          contender('an event, `delivery.notify: false`', emitting(false)),
          contender('an event', emitting(true)),
        ],
        rounds,
      )
      assert(without !== undefined && quiet !== undefined && loud !== undefined)
      await outbox.sql`truncate quickquote.deliveries`

      const worker = context.start<WorkerProcess>('./delivery/worker-process.js')
      await worker.call('open', { databaseUrl: outbox.databaseUrl, ca: receiver.ca, notify: false })
      await worker.call('start')
      const events = Math.ceil((context.seconds * 1000) / EVERY_MS)
      const measure = async () => ({
        p99Ms: quantile(
          await arrivals(events, receiver, async () => {
            let id = ''
            await commit(async (tx) => {
              id = await emit(outbox, tx, { notify: false })
            })
            return id
          }),
          0.99,
        ),
      })
      const [latency] = await takeTurns([{ name: 'an event found by polling', measure }], rounds)
      await worker.call('stop')
      assert(latency !== undefined)

      const ratio = ratioOf(quiet, without, 'perSecond').median
      const p99 = medianOf(latency, 'p99Ms')
      return {
        head: ['transaction', 'commits a second', 'ratio'],
        rows: [without, quiet, loud].map((each) => [
          each.name,
          medianOf(each, 'perSecond').toFixed(0),
          times(ratioOf(each, without, 'perSecond').median),
        ]),
        notes: [
          `${CLIENTS} connections, commit_delay of 5 ms. PostgreSQL commits one transaction with a NOTIFY at a time.`,
          `Found by polling: p99 ${p99.toFixed(0)} ms after the commit, with pollMs ${POLL_MS}.`,
        ],
        goals: [
          atLeast({
            goal: 'Commits with an event, notify: false',
            value: ratio,
            must: 0.95,
            format: percent,
          }),
          atMost({
            goal: 'Event found by polling, p99',
            value: p99,
            must: 2 * POLL_MS,
            format: milliseconds,
          }),
        ],
      }
    } finally {
      await host.end()
      await outbox.close()
    }
  },
}

/** What `emit` sends besides NOTIFY, with another ID and time each time. */
async function statementOf(outbox: Outbox, host: postgres.Sql): Promise<Work> {
  const sent: { text: string; values: unknown[] }[] = []
  let known = ''
  await host.begin(async (tx) => {
    const runInTransaction = (text: string, values: (string | number | boolean | null)[]) => {
      sent.push({ text, values })
      return tx.unsafe(text, values)
    }
    known = await emit(outbox, { runInTransaction }, { notify: false })
  })
  const last = sent.at(-1)
  assert(last !== undefined)
  const timeAt = last.values.findIndex((value) => /^\d{4}-\d\d-\d\dT/.test(String(value)))
  const { organizationId } = outbox.endpoints[0] as Endpoint
  return (tx) => {
    const { id, created_at } = benchEvent(uuidv7(), organizationId)
    const values = last.values.map((value, index) =>
      value === known ? id : index === timeAt ? created_at.toISOString() : value,
    )
    return tx.unsafe(last.text, values as string[], { prepare: true })
  }
}

async function emit(
  { storage, endpoints }: Outbox,
  tx: HostTransaction,
  { notify }: { notify: boolean },
): Promise<string> {
  const { organizationId } = endpoints[0] as Endpoint
  const id = uuidv7()
  await storage.within(tx, { notify }).events.record(benchEvent(id, organizationId))
  return id
}

/** Milliseconds from each commit to the arrival of its event. */
async function arrivals(
  events: number,
  receiver: { take(): Promise<ReadonlyMap<string, number>> },
  record: () => Promise<string>,
): Promise<number[]> {
  await receiver.take()
  const committed: { id: string; at: number }[] = []
  for (let count = 0; count < events; count += 1) {
    const id = await record()
    committed.push({ id, at: monotonicMs() })
    await sleep(EVERY_MS)
  }
  await sleep(4 * POLL_MS)
  const arrived = await receiver.take()
  return committed.map(({ id, at }) => (arrived.get(id) ?? Number.POSITIVE_INFINITY) - at)
}
