import { expect, it } from 'vitest'
import { failQuote, useDeliveries } from './support/webhooks.ts'

const hidden = useDeliveries({ integrations: { viewersSeeBodies: false } })
const shown = useDeliveries()

it.each([
  ['true, the default', shown, 'acme-viewer', true],
  ['false', hidden, 'acme-viewer', false],
  ['false, for an admin', hidden, 'acme-admin', true],
] as const)('viewersSeeBodies: %s: bodies of events and responses', async (_, context, member, isSeen) => {
  context.respond(() => ({ status: 500, body: 'the answer' }))
  const { id } = await context.newEndpoint()
  await failQuote(context.host, 'a quote')
  await context.attempted(1, id)
  const attempts = await context.call('GET', `/deliveries?endpoint_id=${id}`, undefined, member)
  const [{ delivery_id } = { delivery_id: '' }] = attempts.body as unknown as { delivery_id: string }[]
  const { body } = await context.call('GET', `/deliveries/${delivery_id}`, undefined, member)
  const [attempt] = body['attempts'] as Record<string, unknown>[]
  expect([typeof body['request_body'], attempt?.['response_body']]).toEqual(
    isSeen ? ['string', 'the answer'] : ['object', null],
  )
  expect(attempt?.['request_headers']).toMatchObject({ 'Content-Type': 'application/json' })
})
