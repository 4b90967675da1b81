import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOriginGate, type OriginGate, type Turn } from '../src/http/origin-gate.ts'

const ORIGIN = 'https://receiver.example'
const HANGING = 'organization whose receiver hangs'
const HEALTHY = 'another organization'
const SLOW_AFTER_MS = 25

let idleMs = 0
let gate: OriginGate
let letIn: number

beforeEach(() => {
  vi.useFakeTimers()
  idleMs = 0
  letIn = 0
  gate = createOriginGate({ sockets: 2, slowAfterMs: SLOW_AFTER_MS, idleMs: () => idleMs })
  for (let n = 0; n < 3; n += 1) void gate(ORIGIN, HANGING).then(() => (letIn += 1))
})

afterEach(() => {
  vi.useRealTimers()
})

/** Lets time pass, for some of which the process is idle. */
async function pass(ms: number, idleShare: number): Promise<void> {
  for (let n = 0; n < ms; n += 1) {
    idleMs += idleShare
    await vi.advanceTimersByTimeAsync(1)
  }
}

describe('a request beyond the sockets of its origin', () => {
  it('waits for another to end', async () => {
    const other = 'https://other.example'
    const turns = [await gate(other, HEALTHY), await gate(other, HEALTHY)]
    const next = gate(other, HEALTHY)
    turns[0]?.leave(true)
    await expect(next).resolves.toMatchObject({ origin: other })
    expect(letIn).toBe(2)
  })

  it('proceeds if the receiver is slow', async () => {
    await pass(SLOW_AFTER_MS, 1)
    expect(letIn).toBe(3)
  })

  it('proceeds later if this process is busy', async () => {
    await pass(3 * SLOW_AFTER_MS, 0.25)
    expect(letIn).toBe(2)
    await pass(2 * SLOW_AFTER_MS, 0.25)
    expect(letIn).toBe(3)
  })

  it('takes turns with those of other organizations, however many one has waiting', async () => {
    for (let n = 0; n < 100; n += 1) void gate(ORIGIN, HANGING)
    const admitted: string[] = []
    for (const name of ['first', 'second', 'third']) {
      void gate(ORIGIN, HEALTHY).then(({ leave }) => {
        admitted.push(name)
        leave(true)
      })
    }
    await pass(2 * SLOW_AFTER_MS, 1)
    expect(admitted).toEqual(['first', 'second', 'third'])
  })

  it('proceeds after two seconds at the latest', async () => {
    await pass(1999, 0)
    expect(letIn).toBe(2)
    await pass(1, 0)
    expect(letIn).toBe(3)
  })
})

describe('an organization whose receiver hangs', () => {
  const SOCKETS = 16
  let turns: Turn[]

  beforeEach(() => {
    turns = []
    gate = createOriginGate({ sockets: SOCKETS, slowAfterMs: SLOW_AFTER_MS, idleMs: () => idleMs })
    for (let n = 0; n < 100; n += 1) void gate(ORIGIN, HANGING).then((turn) => turns.push(turn))
  })

  /** How many of these requests are let in at once. */
  async function letInAtOnce(count: number, organizationId: string): Promise<number> {
    let admitted = 0
    for (let n = 0; n < count; n += 1) void gate(ORIGIN, organizationId).then(() => (admitted += 1))
    await pass(1, 1)
    return admitted
  }

  it('leaves sockets to others from its first request on', async () => {
    expect(await letInAtOnce(1, HEALTHY)).toBe(1)
    expect(turns.length).toBeLessThan(SOCKETS)
  })

  it('then opens two at a time, and none of the others waits for that', async () => {
    await pass(SLOW_AFTER_MS, 1)
    const before = turns.length
    expect(await letInAtOnce(SOCKETS / 2, HEALTHY)).toBe(SOCKETS / 2)
    await pass(10 * SLOW_AFTER_MS, 1)
    expect(turns.length - before).toBe(20)
  })

  it('opens no more when its requests end without an answer', async () => {
    await pass(SLOW_AFTER_MS, 1)
    const before = turns.length
    for (const turn of turns.slice(0, before - 2)) turn.leave(false)
    await pass(1, 1)
    expect(turns.length).toBe(before)
  })

  it('uses each socket again at once that a slow answer leaves free, also later', async () => {
    await pass(SLOW_AFTER_MS, 1)
    const before = turns.length
    turns[0]?.leave(true)
    turns[0]?.leave(true)
    await pass(1, 1)
    expect(turns.length).toBe(before + 1)
    // Two at a time.
    await pass(51 * SLOW_AFTER_MS, 1)
    expect(turns.length).toBe(100)
    for (const turn of turns.slice(1, 9)) turn.leave(true)
    expect(await letInAtOnce(8, HANGING)).toBe(8)
  })

  it('waits with the others again after a quick answer', async () => {
    await pass(SLOW_AFTER_MS, 1)
    const before = turns.length
    turns.at(-1)?.leave(true)
    await pass(1, 1)
    expect(turns.length - before).toBeGreaterThan(2)
  })
})
