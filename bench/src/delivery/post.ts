import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { BODY, EVENT_TYPE } from './payload.ts'
import type { SenderSettings } from './sender.ts'

/** A job of another queue. */
export interface Job {
  readonly eventId: string
  readonly path: string
  readonly eventType: string
  readonly body: string
}

/** The record of an attempt. */
export interface Attempt {
  readonly eventId: string
  readonly statusCode: number
  readonly durationMs: number
}

const SECRET = 'whsec_bench'
const PATHS = 200

export function jobOf(eventId: string, n: number): Job {
  return { eventId, path: `/${n % PATHS}`, eventType: EVENT_TYPE, body: BODY }
}

export function createPool({ origin, ca, sockets }: SenderSettings): Pool {
  return new Pool(origin, { connections: sockets, connect: { ca }, keepAliveTimeout: 60_000 })
}

/** Signs and sends, over keep-alive sockets. */
export function createPost(settings: SenderSettings): (job: Job) => Promise<Attempt> {
  const pool = createPool(settings)
  return async ({ eventId, path, eventType, body }) => {
    const begun = performance.now()
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')
    const response = await pool.request({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        'x-service-event-id': eventId,
        'x-service-event-type': eventType,
        'x-service-timestamp': timestamp,
        'x-service-signature': `v1=${signature}`,
      },
      body,
    })
    await response.body.dump()
    const durationMs = Math.round(performance.now() - begun)
    return { eventId, statusCode: response.statusCode, durationMs }
  }
}
