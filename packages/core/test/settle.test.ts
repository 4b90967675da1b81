import { DEFAULT_DELIVERY_POLICY, type DeliveryPolicy } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { deliveryFailure } from '../src/model/delivery-failure.ts'
import { type Outcome, settle } from '../src/model/settle.ts'

const now = new Date('2026-11-21T10:00:00Z')

function settled(
  outcome: Outcome,
  context: { attempt?: number; isTest?: boolean; random?: number; policy?: Partial<DeliveryPolicy> } = {},
) {
  const { attempt = 1, isTest = false, random = 0.5, policy = {} } = context
  return settle(outcome, {
    attempt,
    isTest,
    now,
    random,
    policy: { ...DEFAULT_DELIVERY_POLICY, ...policy },
  })
}

function answered(statusCode: number, retryAfterMs: number | null = null): Outcome {
  return { kind: 'response', statusCode, retryAfterMs }
}

/** The wait before the next attempt, in milliseconds. */
function waitAfter(...parameters: Parameters<typeof settled>): number {
  return (settled(...parameters).next_attempt_at?.getTime() ?? Number.NaN) - now.getTime()
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('a response', () => {
  it.each([200, 201, 202, 204, 299])('%i is success', (status) => {
    expect(settled(answered(status))).toEqual({
      status: 'succeeded',
      http_status: status,
      error: null,
      error_code: null,
      next_attempt_at: null,
      paused_until: null,
    })
  })

  it('410 ends the delivery', () => {
    expect(settled(answered(410))).toMatchObject({
      status: 'rejected',
      http_status: 410,
      next_attempt_at: null,
      paused_until: null,
    })
  })

  it.each([301, 302, 307, 308])('%i is a failure: redirects are not followed', (status) => {
    expect(settled(answered(status))).toMatchObject({
      status: 'failed',
      http_status: status,
      error: `The receiver answered ${status}: redirects are not followed.`,
      error_code: String(status),
    })
  })

  it.each([199, 300, 400, 401, 404, 408, 429, 500, 503, 599])('%i is retried', (status) => {
    expect(settled(answered(status))).toMatchObject({ status: 'failed', http_status: status })
  })
})

describe('a response whose body is incomplete', () => {
  const incomplete = (statusCode: number): Outcome => ({
    kind: 'response',
    statusCode,
    retryAfterMs: null,
    incomplete: deliveryFailure('timeout'),
  })

  it('is a failure, even after a 2xx', () => {
    expect(settled(incomplete(200))).toMatchObject({
      status: 'failed',
      http_status: 200,
      error: `The receiver answered 200, but ${deliveryFailure('timeout').error}.`,
      error_code: 'timeout',
    })
  })

  it('is reported by its status if that is a failure', () => {
    expect(settled(incomplete(500)).error_code).toBe('500')
  })
})

describe('the pause of an endpoint', () => {
  const pauseAfter = (outcome: Outcome) => settled(outcome).paused_until

  it('is as long as a 429 or 503 asks for', () => {
    for (const status of [429, 503])
      expect(pauseAfter(answered(status, HOUR))).toEqual(new Date(now.getTime() + HOUR))
  })

  it('is the back-off after a 429 without Retry-After', () => {
    expect(pauseAfter(answered(429))).toEqual(new Date(now.getTime() + 10_000))
  })

  it('does not happen after a 503 without Retry-After, another response or none', () => {
    for (const outcome of [answered(503), answered(500, HOUR), deliveryFailure('timeout')])
      expect(pauseAfter(outcome)).toBeNull()
  })
})

describe('no response', () => {
  it('is retried, with the reason', () => {
    expect(settled(deliveryFailure('connection_refused'))).toMatchObject({
      status: 'failed',
      http_status: null,
      error: 'connection refused',
      error_code: 'connection_refused',
    })
  })

  it('because of a blocked address ends the delivery', () => {
    expect(settled({ kind: 'blocked', error: 'address 10.0.0.1 is private (10.0.0.0/8)' })).toEqual({
      status: 'rejected',
      http_status: null,
      error: 'address 10.0.0.1 is private (10.0.0.0/8)',
      error_code: 'address_blocked',
      next_attempt_at: null,
      paused_until: null,
    })
  })
})

describe('attempts', () => {
  it('are 8 at most', () => {
    expect(settled(answered(500), { attempt: 7 }).status).toBe('failed')
    expect(settled(answered(500), { attempt: 8 })).toMatchObject({
      status: 'exhausted',
      next_attempt_at: null,
      paused_until: null,
    })
  })

  it('are 1 for a test', () => {
    expect(settled(answered(500), { isTest: true })).toMatchObject({
      status: 'exhausted',
      next_attempt_at: null,
      paused_until: null,
    })
  })

  it('may succeed up to the last', () => {
    expect(settled(answered(200), { attempt: 8 }).status).toBe('succeeded')
  })
})

describe('the wait before the next attempt', () => {
  it('is about 10 s, 40 s, 3 min, 11 min, 43 min, 3 h, 11 h', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) => waitAfter(answered(500), { attempt }))
    expect(waits).toEqual([10, 40, 160, 640, 2560, 10_240, 40_960].map((seconds) => seconds * 1000))
  })

  it('varies by up to a fifth', () => {
    expect(waitAfter(answered(500), { random: 0 })).toBe(8000)
    expect(waitAfter(answered(500), { random: 1 })).toBe(12_000)
  })

  it('follows the options of the host', () => {
    const policy = { backoffMs: 100, backoffFactor: 3, jitter: 0, maxAttempts: 3 }
    expect(waitAfter(answered(500), { attempt: 2, random: 1, policy })).toBe(300)
    expect(settled(answered(500), { attempt: 3, policy }).status).toBe('exhausted')
  })

  it.each([429, 503])('is at least the Retry-After of a %i', (status) => {
    expect(waitAfter(answered(status, HOUR))).toBe(HOUR)
    expect(waitAfter(answered(status, 1000))).toBe(10_000)
  })

  it('is at most 12 h, whatever Retry-After says', () => {
    expect(waitAfter(answered(429, 48 * HOUR))).toBe(12 * HOUR)
  })

  it('ignores Retry-After of any other response', () => {
    expect(waitAfter(answered(500, HOUR))).toBe(10_000)
    expect(waitAfter(answered(301, HOUR))).toBe(10_000)
  })
})

describe('the error that the owner of an endpoint sees', () => {
  it.each([
    [199, 'The receiver answered 199.'],
    [300, 'The receiver answered 300: redirects are not followed.'],
    [399, 'The receiver answered 399: redirects are not followed.'],
    [400, 'The receiver answered 400.'],
    [410, 'The receiver answered 410 Gone: it does not want this event.'],
    [500, 'The receiver answered 500.'],
  ])('for %i', (status, error) => {
    expect(settled(answered(status)).error).toBe(error)
  })
})
