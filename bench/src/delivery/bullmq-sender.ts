// BullMQ: 5 on Redis, 6 on PostgreSQL. The result of a job, which BullMQ keeps, is its attempt row.
import { createPostgresBackend, withBackend } from 'bullmq'
import { Queue as RedisQueue, Worker as RedisWorker } from 'bullmq-5'
import { v7 as uuidv7 } from 'uuid'
import { type Attempt, createPost, type Job, jobOf } from './post.ts'
import { type SenderSettings, serveSender } from './sender.ts'

const QUEUE = 'webhooks'
const FILL_AT_ONCE = 1000

serveSender(async (settings) => {
  const post = createPost(settings)
  const { queue, startWorker } = settings.way === 'redis' ? onRedis(settings) : onPostgres(settings)

  return {
    async fill(deliveries) {
      for (let from = 0; from < deliveries; from += FILL_AT_ONCE) {
        const length = Math.min(FILL_AT_ONCE, deliveries - from)
        await queue.addBulk(Array.from({ length }, (_, n) => ({ name: 'webhook', data: jobOf(uuidv7(), n) })))
      }
    },
    async drain(deliveries) {
      let left = deliveries
      await new Promise<void>((resolve) => {
        const worker = startWorker(post, () => {
          left -= 1
          if (left === 0) resolve(worker.close())
        })
      })
    },
  }
})

/** The parts of BullMQ used here, common to both versions. */
interface Way {
  readonly queue: { addBulk(jobs: { name: string; data: Job }[]): Promise<unknown> }
  startWorker(post: (job: Job) => Promise<Attempt>, onCompleted: () => void): { close(): Promise<void> }
}

function onRedis({ redisUrl, inFlight }: SenderSettings): Way {
  const connection = { url: redisUrl ?? '' }
  return {
    queue: new RedisQueue(QUEUE, { connection }),
    startWorker: (post, onCompleted) =>
      new RedisWorker<Job, Attempt>(QUEUE, ({ data }) => post(data), { connection, concurrency: inFlight })
        .on('completed', onCompleted)
        .on('error', () => undefined),
  }
}

function onPostgres({ databaseUrl, inFlight }: SenderSettings): Way {
  const { Queue, Worker } = withBackend(createPostgresBackend)
  const connection = { connectionString: databaseUrl, migrate: true }
  return {
    queue: new Queue(QUEUE, { connection }),
    startWorker: (post, onCompleted) =>
      new Worker<Job, Attempt>(QUEUE, ({ data }) => post(data), { connection, concurrency: inFlight })
        .on('completed', onCompleted)
        .on('error', () => undefined),
  }
}
