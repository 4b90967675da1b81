import { describe, expect, it } from 'vitest'
import {
  ageMs,
  declaresDead,
  FIRST_LIVENESS,
  isAlone,
  isEarly,
  isFresh,
  type Liveness,
  type LivenessEvent,
  livenessTimes,
  type Moment,
  next,
} from '../src/upkeep/liveness.ts'

const TIMES = livenessTimes(10_000, 30_000)

const at = (ms: number, machineMs = ms): Moment => ({ monotonic: ms, machine: machineMs })

type Heartbeat = Omit<Extract<LivenessEvent, { kind: 'heartbeat' }>, 'kind'>

/** A heartbeat that takes no time. */
const heartbeat = (ms: number, fields: Partial<Heartbeat> = {}): LivenessEvent => ({
  kind: 'heartbeat',
  sent: at(ms),
  answered: at(ms),
  isPromised: false,
  isNew: false,
  isOneSilent: false,
  isAnotherBusy: false,
  ...fields,
})
const FAILED: LivenessEvent = { kind: 'heartbeat_failed' }
const session = (isHeld: boolean): LivenessEvent => ({ kind: 'session_changed', isHeld })

const after = (...events: LivenessEvent[]): Liveness =>
  events.reduce((liveness, event) => next(liveness, event, TIMES), FIRST_LIVENESS)

const STARTED = heartbeat(0, { isNew: true })
/** Heartbeats in time, up to this one. */
const until = (ms: number, from = 0) =>
  Array.from({ length: (ms - from) / 10_000 }, (_, index) => heartbeat(from + (index + 1) * 10_000))

describe('a worker is', () => {
  it('new until its first heartbeat, then steady from when it was answered', () => {
    expect(FIRST_LIVENESS.mode).toEqual({ kind: 'new' })
    expect(after(heartbeat(0, { isNew: true, answered: at(40) })).mode).toEqual({ kind: 'steady', since: 40 })
    expect(after(STARTED, ...until(60_000)).mode).toEqual({ kind: 'steady', since: 0 })
  })

  it.each([
    ['a heartbeat failed', FAILED],
    ['it has lost its session lock', session(false)],
  ])('cut off once %s, in any mode', (_, event) => {
    for (const before of [[], [STARTED], [STARTED, FAILED], [STARTED, FAILED, heartbeat(5000)]]) {
      expect(after(...before, event).mode).toEqual({ kind: 'cut_off' })
    }
  })

  it('not cut off by taking its session lock, and no less cut off', () => {
    expect(after(STARTED, session(true))).toMatchObject({ mode: { kind: 'steady' }, hasSession: true })
    expect(after(STARTED, FAILED, session(true))).toMatchObject({
      mode: { kind: 'cut_off' },
      hasSession: true,
    })
  })

  it('returning for deadAfterMs after it was cut off, then steady', () => {
    const back = [STARTED, FAILED, heartbeat(10_000)]
    expect(after(...back, ...until(30_000, 10_000)).mode).toEqual({ kind: 'returning', since: 10_000 })
    expect(after(...back, heartbeat(25_000), heartbeat(39_999)).mode.kind).toBe('returning')
    expect(after(...back, heartbeat(25_000), heartbeat(40_000)).mode).toEqual({
      kind: 'steady',
      since: 10_000,
    })
  })

  it('returning after a heartbeat that came too late, as of a paused process', () => {
    expect(after(STARTED, heartbeat(19_999)).mode).toEqual({ kind: 'steady', since: 0 })
    expect(after(STARTED, heartbeat(20_000)).mode).toEqual({ kind: 'returning', since: 20_000 })
    const slow = heartbeat(10_000, { answered: at(20_000) })
    expect(after(STARTED, slow)).toMatchObject({
      mode: { kind: 'returning', since: 20_000 },
      lastBeat: at(10_000),
    })
  })
})

describe('a worker', () => {
  it('sends heartbeats as often as the others need them', () => {
    expect([TIMES.idle, TIMES.watching, TIMES.hurried]).toEqual([10_000, 1000, 500])
    expect(livenessTimes(200, 1000)).toMatchObject({ watching: 200, hurried: 200, lostAfterMs: 1000 })
    expect(after(STARTED).pace).toBe('idle')
    expect(after(heartbeat(0, { isAnotherBusy: true })).pace).toBe('watching')
    expect(after(heartbeat(0, { isAnotherBusy: true, isOneSilent: true })).pace).toBe('hurried')
    expect(after(heartbeat(0, { isOneSilent: true }), heartbeat(500)).pace).toBe('idle')
  })

  it('is alone while no other one is busy, or may be dead', () => {
    expect(isAlone(FIRST_LIVENESS)).toBe(true)
    expect(isAlone(after(heartbeat(0, { isAnotherBusy: true }), heartbeat(500)))).toBe(true)
    expect(isAlone(after(heartbeat(0, { isAnotherBusy: true })))).toBe(false)
    expect(isAlone(after(heartbeat(0, { isOneSilent: true })))).toBe(false)
  })

  it('sends none early, unless it was cut off or has promised more', () => {
    const early = at(9989)
    expect(isEarly(after(STARTED), early, TIMES)).toBe(true)
    expect(isEarly(after(STARTED), at(9990), TIMES)).toBe(false)
    expect(isEarly(after(heartbeat(0, { isAnotherBusy: true })), at(990), TIMES)).toBe(false)
    expect(isEarly(after(STARTED, FAILED, heartbeat(0)), early, TIMES)).toBe(true)
    for (const none of [FIRST_LIVENESS, after(STARTED, FAILED), after(heartbeat(0, { isPromised: true }))]) {
      expect(isEarly(none, early, TIMES)).toBe(false)
    }
  })

  it('is fresh until halfway between its next heartbeat and its death, by both clocks', () => {
    expect(isFresh(FIRST_LIVENESS, at(0), TIMES)).toBe(false)
    expect(isFresh(after(STARTED), at(19_999), TIMES)).toBe(true)
    for (const asleep of [at(20_000), at(20_000, 0), at(0, 20_000)]) {
      expect(isFresh(after(STARTED), asleep, TIMES)).toBe(false)
      expect(ageMs(after(STARTED), asleep)).toBe(20_000)
    }
  })

  it('is fresh for less time if it has promised heartbeats and lost its session lock', () => {
    const promised = after(STARTED, session(true), heartbeat(0, { isPromised: true }))
    expect(isFresh(promised, at(19_999), TIMES)).toBe(true)
    const lost = next(promised, session(false), TIMES)
    expect(isFresh(lost, at(1249), TIMES)).toBe(true)
    expect(isFresh(lost, at(1250), TIMES)).toBe(false)
  })

  it('counts a life each time the others do not know it', () => {
    expect(FIRST_LIVENESS.lives).toBe(0)
    expect(after(STARTED, heartbeat(10_000), FAILED).lives).toBe(1)
    expect(after(STARTED, heartbeat(10_000, { isNew: true })).lives).toBe(2)
  })

  it('declares dead after 2 s those whose session lock is gone, and after deadAfterMs all that are silent', () => {
    const steady = after(STARTED, ...until(30_000))
    expect([0, 1999, 2000, 29_999, 30_000].map((ms) => declaresDead(steady, at(ms), TIMES))).toEqual([
      'none',
      'none',
      'lost',
      'lost',
      'silent',
    ])
  })

  it('declares none dead until it is steady again', () => {
    const back = [STARTED, ...until(60_000), FAILED, heartbeat(70_000)]
    for (const events of [[], back.slice(0, -1), [...back, ...until(90_000, 70_000)]]) {
      expect(declaresDead(after(...events), at(99_999), TIMES)).toBe('none')
    }
    expect(declaresDead(after(...back, ...until(100_000, 70_000)), at(100_000), TIMES)).toBe('silent')
  })
})
