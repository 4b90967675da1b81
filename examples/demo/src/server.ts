// The host app: `DATABASE_URL=postgres://… node dist/server.js`. The settings are in settings.ts.
import { createLogger } from './logger.ts'
import { hostSettings } from './settings.ts'
import { startServer } from './start-server.ts'
import { untilStopped } from './until-stopped.ts'

const settings = hostSettings(process.env)
const logger = createLogger(settings.logLevel)
const server = await startServer(settings, logger)
logger.info({ url: server.url, httpsUrl: server.httpsUrl }, 'ready')
await untilStopped()
await server.stop()
