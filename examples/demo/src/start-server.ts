import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { freePort } from '@quickquote/dev-servers'
import type { FastifyBaseLogger } from 'fastify'
import type { Redis } from 'ioredis'
import { buildApp } from './app.ts'
import { createHost, type Host } from './host.ts'
import { hostSecrets } from './host-secrets.ts'
import { servePlayground } from './playground.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import type { HostSettings } from './settings.ts'

export interface RunningServer {
  /** The API, plain HTTP: easy to reach with curl. */
  readonly url: string
  /** The same app over HTTPS: links to documents point here. */
  readonly httpsUrl: string
  readonly host: Host
  /** The partner's side: receives the webhooks of the page at `/`. */
  readonly receiver: Receiver
  /** Stops accepting requests, lets the worker finish, then closes the database. */
  stop(): Promise<void>
}

/** Runs the host app, and a worker in the same process unless the settings say otherwise. */
export async function startServer(settings: HostSettings, logger: FastifyBaseLogger): Promise<RunningServer> {
  const { certificate } = await hostSecrets(settings.dataFolder)
  // Needs the address first: the links to documents contain it.
  const https = createServer(certificate).listen(settings.httpsPort, '127.0.0.1')
  await once(https, 'listening')
  const httpsUrl = `https://127.0.0.1:${(https.address() as AddressInfo).port}`

  const host = await createHost(settings, { documentsUrl: httpsUrl, logger })
  const receiver = await startReceiver(certificate)
  const redis = settings.redisUrl === null ? undefined : await connectRedis(settings.redisUrl, logger)
  // Our own choice of a free one: the app needs it before it listens.
  const port = settings.port || (await freePort())
  const app = await buildApp(host, { publicUrl: settings.publicUrl ?? `http://127.0.0.1:${port}`, redis })
  await servePlayground(app, { host, receiver })
  const url = await app.listen({ host: '127.0.0.1', port })
  https.on('request', (request, response) => app.routing(request, response))
  const worker = settings.runsWorker ? host.createWorker() : null
  await worker?.start()

  return {
    url,
    httpsUrl,
    host,
    receiver,
    async stop() {
      await Promise.all([app.close(), new Promise((closed) => https.close(closed))])
      await worker?.stop()
      redis?.disconnect()
      await receiver.stop()
      await host.close()
    },
  }
}

/** Without Redis the host keeps working: limits are not counted until the client has reconnected. */
async function connectRedis(url: string, logger: FastifyBaseLogger): Promise<Redis> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url)
  redis.on('error', (error) => logger.warn({ err: error }, 'Redis'))
  return redis
}
