import { readFileSync } from 'node:fs'
import { fastifyWebhooks } from '@quickquote/webhook-signature/fastify'
import Fastify from 'fastify'

const app = Fastify({ https: { key: readFileSync('key.pem'), cert: readFileSync('cert.pem') } })
await app.register(fastifyWebhooks, {
  path: '/webhooks',
  secrets: process.env.WEBHOOK_SECRET,
  onEvent: async (event) => console.log('verified', event.type, event.data.quotation_id),
})
await app.listen({ port: Number(process.env.PORT ?? 4000) })
