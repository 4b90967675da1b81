import { createIntegrations, STEPS } from '@quickquote/core'
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import {
  answerFrameworkError,
  fastifyIntegrations,
  requestSerializer,
} from '@quickquote/fastify-integrations'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify from 'fastify'

// Yours: who is signed in. Here everyone is the admin of one organization.
const organizations = [{ id: '0197a000-0000-7000-8000-000000000001', role: 'admin' }]
const resolveSession = async () => ({ memberId: 'me', organizations })

const storage = drizzleStorage({ connectionString: process.env.DATABASE_URL })
await storage.migrate()
const integrations = createIntegrations({
  storage,
  // Yours: turns a quote into a proposal. Here all steps finish at once.
  pipeline: {
    async start(_quote, { report }) {
      for (const step of STEPS) await report.stepCompleted(step)
      await report.completed()
    },
    signDocumentUrl: async (document) => ({
      url: `https://files.example.com/${document.document_id}`,
      expires_at: new Date(Date.now() + 900_000),
    }),
  },
  encryptionKeys: [{ id: '1', key: process.env.INTEGRATIONS_KEY }],
  // Allows a receiver on this machine. Omit it in production, so that webhooks go to public addresses only.
  allowAddresses: ['127.0.0.1/32'],
})

// Both options keep API keys out of your log if a client puts one into a URL, even a malformed one.
const app = Fastify({
  logger: { serializers: { req: requestSerializer } },
  frameworkErrors: answerFrameworkError,
})
// The worker starts and stops with the app.
const worker = createDeliveryWorker({ integrations })
app.register(fastifyIntegrations, { integrations, worker, resolveSession })
app.addHook('onClose', () => integrations.close())

// Requests and webhooks in flight finish before the process exits.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => app.close())
await app.listen({ port: Number(process.env.PORT ?? 3000) })
