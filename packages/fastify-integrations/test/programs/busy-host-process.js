// A host whose event loop is blocked for a second by a message, and that closes at SIGTERM.
import { integrationsOn } from '@quickquote/dev-servers/host'
import Fastify from 'fastify'
import { fastifyIntegrations } from '../../dist/index.js'

const limits = { eventWaitsPerApiKey: 50, requestsPerMinute: 10_000 }
const integrations = integrationsOn(process.env.DATABASE_URL, { limits })
const app = Fastify()
await app.register(fastifyIntegrations, { integrations, resolveSession: () => null })
app.addHook('onClose', () => integrations.close())
await app.listen({ port: 0, host: '127.0.0.1' })
process.once('SIGTERM', () => app.close().then(() => process.disconnect()))
process.on('message', () => {
  process.send('blocked')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
})
process.send(app.server.address().port)
