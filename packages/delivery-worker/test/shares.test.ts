import type { ClaimedDelivery, SettledAttempt } from '@quickquote/core/internal'
import { describe, expect, it } from 'vitest'
import { createShares } from '../src/deliveries/shares.ts'

const answered = (duration_ms: number, status = 'succeeded') =>
  ({ status, duration_ms }) as unknown as SettledAttempt

function open() {
  const shares = createShares({ perEndpoint: 2, perEndpointWhileQuick: 16 })
  const limit = (endpoint: string) => shares.limits().get(endpoint) ?? 2
  const claim = (id: string, leases: number) =>
    shares.claimed([{ endpoint: { id } } as ClaimedDelivery], new Map([[id, leases]]))
  /** Fills the endpoint's share, and answers all of it. */
  const fill = (endpoint: string, answer: SettledAttempt, share = limit(endpoint)) => {
    claim(endpoint, share)
    for (let n = 0; n < share; n += 1) shares.ended(endpoint, answer)
  }
  return { shares, limit, claim, fill }
}

describe('the share of an endpoint', () => {
  it('doubles with every share of quick answers, once there were 128, up to the limit', () => {
    const { limit, fill } = open()
    for (let n = 0; n < 63; n += 1) fill('quick', answered(5))
    expect(limit('quick')).toBe(2)
    const found = Array.from({ length: 5 }, () => {
      fill('quick', answered(5))
      return limit('quick')
    })
    expect(found).toEqual([4, 8, 16, 16, 16])
    expect(limit('another')).toBe(2)
  })

  it('grows while half of it waits to be recorded whenever the other half is in flight', () => {
    const { shares, limit, claim } = open()
    for (let n = 0; n < 600; n += 1) {
      const share = limit('quick')
      claim('quick', share)
      for (let m = 0; m < share / 2; m += 1) shares.ended('quick', answered(5))
    }
    expect(limit('quick')).toBe(16)
  })

  it('does not grow while it is not used', () => {
    const { limit, fill } = open()
    for (let n = 0; n < 500; n += 1) fill('calm', answered(5), 1)
    expect(limit('calm')).toBe(2)
  })

  it.each([
    ['slow answer', answered(101)],
    ['failure', answered(5, 'failed')],
  ])('is small again after the first %s', (_, answer) => {
    const { shares, limit, claim, fill } = open()
    for (let n = 0; n < 66; n += 1) fill('endpoint', answered(5))
    expect(limit('endpoint')).toBe(16)

    claim('endpoint', 1)
    shares.ended('endpoint', answer)

    expect(limit('endpoint')).toBe(2)
  })
})
