// graphile-worker, as documented, and with all its batching.
import { EventEmitter } from 'node:events'
import { Logger, makeWorkerUtils, run, type TaskList, type WorkerEvents } from 'graphile-worker'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { openAttemptLog } from './attempt-log.ts'
import { createPost, type Job, jobOf } from './post.ts'
import { serveSender } from './sender.ts'

const TASK = 'webhook'
const LOCAL_QUEUE = 500
const CONNECTIONS = 10

serveSender(async (settings) => {
  const logger = new Logger(() => () => undefined)
  const pgPool = new pg.Pool({ connectionString: settings.databaseUrl, max: CONNECTIONS })
  // It warns without these handlers.
  pgPool.on('error', () => undefined)
  pgPool.on('connect', (client) => client.on('error', () => undefined))
  const utils = await makeWorkerUtils({ pgPool, logger })
  await utils.migrate()
  const post = createPost(settings)
  const log = await openAttemptLog(settings.databaseUrl, { connections: CONNECTIONS })
  const isBatched = settings.way === 'batched'

  const taskList: TaskList = {
    async [TASK](payload) {
      const attempt = await post(payload as Job)
      await (isBatched ? log.recordSoon(attempt) : log.record([attempt]))
    },
  }

  return {
    async fill(deliveries) {
      const jobs = Array.from({ length: deliveries }, (_, n) => ({ payload: jobOf(uuidv7(), n) }))
      await pgPool.query(
        `select count(*) from graphile_worker.add_jobs(array(
           select json_populate_record(null::graphile_worker.job_spec, json_build_object('identifier', $1::text, 'payload', job -> 'payload'))
           from json_array_elements($2::json) job
         ))`,
        [TASK, JSON.stringify(jobs)],
      )
      await pgPool.query('vacuum analyze graphile_worker._private_jobs')
    },
    async drain(deliveries) {
      const events: WorkerEvents = new EventEmitter()
      let left = deliveries
      const drained = new Promise<void>((resolve) => {
        events.on('job:complete', () => {
          left -= 1
          if (left === 0) resolve()
        })
      })
      const runner = await run({
        pgPool,
        logger,
        taskList,
        events,
        concurrency: settings.inFlight,
        noHandleSignals: true,
        noPreparedStatements: false,
        ...(isBatched && {
          preset: {
            worker: { localQueue: { size: LOCAL_QUEUE }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
          },
        }),
      })
      await drained
      await runner.stop()
    },
  }
})
