import { describe, expect, it } from 'vitest'
import { type Answer, type Evidence, type RecordedAttempt, reconcile, type SeenRequest } from './reconcile.ts'

const AT = new Date('2026-11-21T10:00:00.500Z')

function seconds(later: number): Date {
  return new Date(AT.getTime() + later * 1000)
}

function request(answer: Answer, later = 0): SeenRequest {
  return { receiver: 'a', eventId: 'e', timestamp: Math.floor(seconds(later).getTime() / 1000), answer }
}

function attempt(attempt: number, given: Partial<RecordedAttempt> = {}): RecordedAttempt {
  const unanswered = { http_status: null, error: 'timed out', response_body: null }
  return {
    receiver: 'a',
    event_id: 'e',
    attempt,
    status: 'failed',
    ...unanswered,
    created_at: AT,
    next_attempt_at: given.status === undefined || given.status === 'failed' ? AT : null,
    ...given,
  }
}

const succeeded = (number: number, n: number, given: Partial<RecordedAttempt> = {}) =>
  attempt(number, { status: 'succeeded', http_status: 200, error: null, response_body: String(n), ...given })

const interrupted = (number: number, given: Partial<RecordedAttempt> = {}) =>
  attempt(number, { status: 'interrupted', error: null, next_attempt_at: AT, ...given })

function reconciled(evidence: Partial<Evidence>) {
  const events = [{ id: 'e', receivers: ['a'] }]
  const nothing = { attempts: [], requests: [] }
  return reconcile({ maxAttempts: 3, accepted: ['e'], failures: 0, events, ...nothing, ...evidence })
}

/** The broken promises. */
function broken(evidence: Partial<Evidence>): string[] {
  return reconciled(evidence).problems.map(({ promise }) => promise)
}

describe('a run that kept its promises', () => {
  it('delivered at the first attempt', () => {
    const found = reconciled({ attempts: [succeeded(1, 0)], requests: [request(200)] })
    expect(found).toMatchObject({ problems: [], deliveries: 1, delivered: 1, duplicates: 0, unseen: 0 })
  })

  it('was cut off after the receiver accepted the event: a duplicate, and an interrupted attempt', () => {
    const found = reconciled({
      attempts: [interrupted(1), succeeded(2, 1, { created_at: seconds(9) })],
      requests: [request(200, 2), request(200, 9)],
    })
    expect(found).toMatchObject({ problems: [], delivered: 1, duplicates: 1, cutOff: 1 })
  })

  it('repeated a request within its attempt, because its connection was reset', () => {
    const found = reconciled({ attempts: [succeeded(1, 1)], requests: [request('reset'), request(200)] })
    expect(found).toMatchObject({ problems: [], delivered: 1, duplicates: 0, unseen: 0 })
  })

  it('repeated a request within its attempt, and did not hear the answer to the second', () => {
    const found = reconciled({
      attempts: [attempt(1), succeeded(2, 2, { created_at: seconds(9) })],
      requests: [request('reset'), request(200), request(200, 9)],
    })
    expect(found).toMatchObject({ problems: [], delivered: 1, duplicates: 1, unheard: 1, unseen: 0 })
  })

  it('repeated an attempt within the same second, after its connection was reset', () => {
    const found = reconciled({
      attempts: [attempt(1), succeeded(2, 1)],
      requests: [request('reset'), request(200)],
    })
    expect(found).toMatchObject({ problems: [], delivered: 1, duplicates: 0, unheard: 0, unseen: 0 })
  })

  it('was cut off before anything was sent', () => {
    const found = reconciled({ attempts: [interrupted(1), succeeded(2, 0)], requests: [request(200)] })
    expect(found).toMatchObject({ problems: [], duplicates: 0, cutOff: 0, unseen: 1 })
  })

  it('answered too late, hung, reset: attempts without a status', () => {
    const found = reconciled({
      attempts: [attempt(1), attempt(2), attempt(3, { status: 'exhausted' })],
      requests: [request(200), request('hang'), request('reset')],
    })
    expect(found).toMatchObject({ problems: [], usedUp: 1, unheard: 1, duplicates: 2 })
  })

  it('ended with a 410', () => {
    const gone = attempt(1, { status: 'rejected', http_status: 410, response_body: '0' })
    expect(reconciled({ attempts: [gone], requests: [request(410)] })).toMatchObject({
      problems: [],
      gone: 1,
    })
  })

  it('died at the last attempt', () => {
    const last = interrupted(3, { next_attempt_at: null })
    const found = reconciled({ attempts: [attempt(1), attempt(2), last], requests: [] })
    expect(found).toMatchObject({ problems: [], usedUp: 1 })
  })
})

describe('a run that lost a primary before its standby had everything', () => {
  it('lost an event that had been sent', () => {
    const found = reconciled({
      events: [],
      requests: [request(200)],
      lostPrimary: { events: [{ id: 'e', receivers: ['a'] }], attempts: [succeeded(1, 0)], begun: [] },
    })
    expect(found).toMatchObject({ problems: [], lost: { events: 1, attempts: 1, requests: 1 } })
  })

  it('lost an attempt in progress, and sent again', () => {
    const found = reconciled({
      attempts: [succeeded(1, 1)],
      requests: [request(200), request(200)],
      lostPrimary: { events: [], attempts: [], begun: [{ receiver: 'a', event_id: 'e', attempt: 1 }] },
    })
    expect(found).toMatchObject({
      problems: [],
      duplicates: 1,
      lost: { events: 0, attempts: 0, requests: 1 },
    })
  })
})

describe('a run that broke a promise', () => {
  it.each<[string, string, Partial<Evidence>]>([
    ['an accepted event that is missing', 'every accepted event is recorded', { events: [] }],
    ['an event that was never sent', 'every event is delivered or recorded as given up', {}],
    [
      'a retry that never came',
      'every event is delivered or recorded as given up',
      { attempts: [attempt(1)], requests: [request('hang')] },
    ],
    [
      'a delivery that the receiver never saw',
      'a recorded delivery was received',
      { attempts: [succeeded(1, 0)] },
    ],
    [
      'a request without an attempt',
      'every request has its attempt',
      { attempts: [succeeded(1, 0)], requests: [request(200), request(200)] },
    ],
    [
      'a request repeated twice within its attempt',
      'every request has its attempt',
      { attempts: [succeeded(1, 2)], requests: [request('reset'), request('reset'), request(200)] },
    ],
    [
      'a reset request of another second than the attempt',
      'every request has its attempt',
      { attempts: [succeeded(1, 1)], requests: [request('reset', -5), request(200)] },
    ],
    [
      'a request signed before the claim of its interrupted attempt',
      'every request has its attempt',
      { attempts: [interrupted(1), succeeded(2, 1)], requests: [request(200, -5), request(200)] },
    ],
    [
      'one response with two attempts',
      'a recorded response was sent',
      {
        attempts: [attempt(1, { http_status: 500, response_body: '0' }), succeeded(2, 0)],
        requests: [request(500)],
      },
    ],
    [
      'a success that was a failure',
      'the recorded outcome matches the response',
      { attempts: [succeeded(1, 0)], requests: [request(500)] },
    ],
    [
      'a 410 that was retried',
      'the recorded outcome matches the response',
      {
        attempts: [attempt(1, { http_status: 410, response_body: '0' }), succeeded(2, 1)],
        requests: [request(410), request(200)],
      },
    ],
    [
      'a signature with the wrong time',
      'a request is signed when its attempt began',
      { attempts: [succeeded(1, 0, { created_at: seconds(5) })], requests: [request(200)] },
    ],
    [
      'an attempt too many',
      'at most 3 attempts',
      { attempts: [attempt(1), attempt(2), attempt(3), attempt(4, { status: 'exhausted' })] },
    ],
    [
      'the same attempt twice',
      'attempts are numbered one after the other',
      { attempts: [interrupted(1), succeeded(1, 0)], requests: [request(200)] },
    ],
    [
      'an attempt after a success',
      'nothing is sent after the end',
      { attempts: [succeeded(1, 0), succeeded(2, 1)], requests: [request(200), request(200)] },
    ],
    [
      'attempts not used up',
      'given up after 3 attempts only',
      { attempts: [attempt(1, { status: 'exhausted' })] },
    ],
    [
      'an event that nobody emitted',
      'only emitted events are recorded',
      { accepted: [], attempts: [succeeded(1, 0)], requests: [request(200)] },
    ],
    [
      'an event that even the lost primary never had',
      'every accepted event is recorded',
      { events: [], lostPrimary: { events: [], attempts: [], begun: [] } },
    ],
    [
      'a request that even the lost primary knew nothing of',
      'only expected events are sent',
      { events: [], requests: [request(200)], lostPrimary: { events: [], attempts: [], begun: [] } },
    ],
    [
      'more requests than the lost primary had attempts',
      'every request has its attempt',
      {
        attempts: [attempt(1, { http_status: 500, response_body: '0' }), succeeded(2, 1)],
        requests: [request(500), request(200), request(200)],
        lostPrimary: {
          events: [],
          attempts: [attempt(1, { http_status: 500, response_body: '0' })],
          begun: [],
        },
      },
    ],
    [
      'an event that went to another receiver',
      'only expected events are sent',
      { attempts: [succeeded(1, 1)], requests: [{ ...request(200), receiver: 'b' }, request(200)] },
    ],
  ])('%s', (_, promise, evidence) => {
    expect(broken(evidence)).toContain(promise)
  })
})
