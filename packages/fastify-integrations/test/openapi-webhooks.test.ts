import { EVENT_TYPES, STEPS } from '@quickquote/core'
import { expect, it } from 'vitest'
import { openHost, useDatabase } from './support/host.ts'
import { openApiCheck } from './support/openapi-check.ts'
import { createEndpoint, useDeliveries } from './support/webhooks.ts'

const context = useDeliveries()
const database = useDatabase()

it('the document has the timeout and the attempts of the service', async () => {
  const { openapi } = await openHost({
    databaseUrl: database.url,
    integrations: { delivery: { timeoutMs: 1500, maxAttempts: 3 } },
  })
  const { responses } = openapi.webhooks['quotation.completed']?.post ?? expect.fail('is not documented')
  expect(responses).toMatchObject({
    '2XX': { description: 'The event was received. Respond within 1.5 seconds.' },
    default: { description: 'The event was not received. It is retried, up to 3 attempts in total.' },
  })
})

it('deliveries of every event match the OpenAPI document, body and headers', async () => {
  const { host, receiver } = context
  await createEndpoint(host, { url: `${receiver.url}/all`, events: EVENT_TYPES })
  const { key } = await host.createKey()
  const succeeding = host.integrations.pipeline(await host.startQuotation(key))
  for (const step of STEPS) {
    await succeeding.stepCompleted(step)
  }
  await succeeding.completed()
  await host.integrations.pipeline(await host.startQuotation(key)).failed({ errorCode: 'MODEL_TIMEOUT' })

  const seen = new Set<string>()
  const { check, checkHeader, document } = openApiCheck(host.openapi)
  for (let index = 0; index < EVENT_TYPES.length; index += 1) {
    const { headers, rawBody } = await receiver.next()
    const type = String(headers['x-service-event-type'])
    const { parameters = [], requestBody } = document.webhooks[type]?.post ?? expect.fail(type)
    check(requestBody?.content[String(headers['content-type'])]?.schema, JSON.parse(rawBody.toString()))
    for (const { name, required, schema } of parameters) {
      const text = headers[name.toLowerCase()]
      if (required) expect(text, name).toBeDefined()
      if (text !== undefined) checkHeader(schema, String(text), name)
    }
    seen.add(type)
  }
  expect([...seen].sort()).toEqual([...EVENT_TYPES].sort())
})
