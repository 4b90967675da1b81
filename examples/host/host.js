import { createDeliveryWorker } from '@quickquote/delivery-worker'
import {
  answerFrameworkError,
  fastifyIntegrations,
  requestSerializer,
} from '@quickquote/fastify-integrations'
import Fastify from 'fastify'
import { integrations, storage } from './integrations.js'

// Yours: who is signed in. Here everyone is the admin of one organization.
const organizations = [{ id: '0197a000-0000-7000-8000-000000000001', role: 'admin' }]
const resolveSession = async () => ({ memberId: 'me', organizations })

await storage.migrate()
// Both options keep API keys out of your log if a client puts one into a URL, even a malformed one.
const app = Fastify({
  logger: { serializers: { req: requestSerializer } },
  frameworkErrors: answerFrameworkError,
})
// The worker starts and stops with the app.
const worker = createDeliveryWorker({ integrations })
// Where partners reach this app: links in responses begin with it.
const { PORT = '3000', PUBLIC_URL: publicUrl = `http://localhost:${PORT}` } = process.env
app.register(fastifyIntegrations, { integrations, worker, resolveSession, publicUrl })
app.addHook('onClose', () => integrations.close())
// Requests and webhooks in flight finish before the process exits.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => app.close())
await app.listen({ port: Number(PORT) })
