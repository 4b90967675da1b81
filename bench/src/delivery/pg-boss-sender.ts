// pg-boss, as documented (`work`), and with the best loop around its batches.
import { PgBoss } from 'pg-boss'
import { v7 as uuidv7 } from 'uuid'
import { type AttemptLog, openAttemptLog } from './attempt-log.ts'
import { createPost, type Job, jobOf } from './post.ts'
import { serveSender } from './sender.ts'

const QUEUE = 'webhooks'
const FILL_AT_ONCE = 1000
/** Loops that fetch, send and complete a batch each. */
const LOOPS = 4
/** The minimum that it accepts. */
const POLL_SECONDS = 0.5

serveSender(async (settings) => {
  const boss = new PgBoss({ connectionString: settings.databaseUrl, supervise: false, schedule: false })
  boss.on('error', () => undefined)
  await boss.start()
  await boss.createQueue(QUEUE)
  const post = createPost(settings)
  const log = await openAttemptLog(settings.databaseUrl, { connections: LOOPS })
  const drain = settings.way === 'documented' ? drainByWork : drainByBatches

  /** One job at a time per loop, with one loop for each delivery in flight. */
  async function drainByWork(deliveries: number): Promise<void> {
    let left = deliveries
    await new Promise<void>((resolve, reject) => {
      boss
        .work<Job>(
          QUEUE,
          { localConcurrency: settings.inFlight, pollingIntervalSeconds: POLL_SECONDS },
          async (jobs) => {
            for (const { data } of jobs) await log.record([await post(data)])
            left -= jobs.length
            if (left === 0) resolve()
          },
        )
        .catch(reject)
    })
    await boss.offWork(QUEUE, { wait: true })
  }

  async function drainByBatches(deliveries: number): Promise<void> {
    const batchSize = Math.ceil(settings.inFlight / LOOPS)
    let left = deliveries
    async function loop(): Promise<void> {
      while (left > 0) {
        const sent = await sendBatch(boss, post, log, batchSize)
        left -= sent
      }
    }
    await Promise.all(Array.from({ length: LOOPS }, loop))
  }

  return {
    async fill(deliveries) {
      for (let from = 0; from < deliveries; from += FILL_AT_ONCE) {
        const length = Math.min(FILL_AT_ONCE, deliveries - from)
        await boss.insert(
          QUEUE,
          Array.from({ length }, (_, n) => ({ data: jobOf(uuidv7(), n) })),
        )
      }
    },
    drain,
  }
})

async function sendBatch(
  boss: PgBoss,
  post: ReturnType<typeof createPost>,
  log: AttemptLog,
  batchSize: number,
): Promise<number> {
  const jobs = await boss.fetch<Job>(QUEUE, { batchSize })
  if (jobs.length === 0) return 0
  await log.record(await Promise.all(jobs.map(({ data }) => post(data))))
  await boss.complete(
    QUEUE,
    jobs.map(({ id }) => id),
  )
  return jobs.length
}
