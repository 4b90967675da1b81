// undici alone: no queue, signature or record.
import type { Dispatcher, Pool } from 'undici'
import { BODY } from './payload.ts'
import { createPool } from './post.ts'
import { serveSender } from './sender.ts'

const POST: Dispatcher.RequestOptions = {
  method: 'POST',
  path: '/1',
  headers: {
    'content-type': 'application/json',
    'x-service-event-id': 'evt_019f0c5a-7f00-7000-8000-000000000000',
    'x-service-event-type': 'quotation.completed',
    'x-service-timestamp': '1700000000',
    'x-service-signature': `v1=${'0'.repeat(64)}`,
  },
  body: BODY,
}

serveSender(async (settings) => {
  const pool = createPool(settings)
  const send = settings.way === 'dispatch' ? dispatch : request
  return {
    async fill() {},
    async drain(deliveries) {
      let left = deliveries
      async function sendOn(): Promise<void> {
        while (left > 0) {
          left -= 1
          await send(pool)
        }
      }
      await Promise.all(Array.from({ length: settings.inFlight }, sendOn))
    },
  }
})

async function request(pool: Pool): Promise<void> {
  const { body } = await pool.request(POST)
  await body.dump()
}

function dispatch(pool: Pool): Promise<void> {
  return new Promise((resolve, reject) => {
    pool.dispatch(POST, {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData() {},
      onResponseEnd: () => resolve(),
      onResponseError: (_, error) => reject(error),
    })
  })
}
