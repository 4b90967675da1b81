import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { useHost } from './support/host.ts'

const context = useHost({
  wrapStorage: (storage) => ({
    ...storage,
    quotations: { ...storage.quotations, find: () => new Promise<never>(() => {}) },
  }),
})

it('A hanging request is answered with 503 and Retry-After within 15 s, whatever hangs', async () => {
  const { key } = await context.host.createKey()

  const answer = await context.host.call('GET', `/v1/integrations/quotations/${randomUUID()}`, { key })

  expect(answer).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
}, 30_000)
