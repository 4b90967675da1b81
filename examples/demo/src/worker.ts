// A separate worker, for a server with RUN_WORKER=false or in addition to other workers: `DATABASE_URL=… node
// dist/worker.js`.
import { createHost } from './host.ts'
import { createLogger } from './logger.ts'
import { hostSettings } from './settings.ts'
import { untilStopped } from './until-stopped.ts'

const settings = hostSettings(process.env)
const logger = createLogger(settings.logLevel)
const host = await createHost(settings, { documentsUrl: 'https://127.0.0.1', logger })
const worker = host.createWorker()
await worker.start()
logger.info({}, 'ready')
await untilStopped()
await worker.stop()
await host.close()
