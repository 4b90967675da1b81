import { randomUUID } from 'node:crypto'
import { silentLogger } from '@quickquote/core'
import { afterEach, describe, expect, it } from 'vitest'
import { createHeartbeat, type Heartbeat } from '../src/upkeep/heartbeat.ts'
import { openHost } from './support/host.ts'

const EVERY_MS = 40
/** Twenty heartbeats, so that none is late enough on a busy machine. */
const DEAD_AFTER_MS = 800

let heartbeat: Heartbeat | undefined

afterEach(async () => {
  await heartbeat?.stop()
})

/** A heartbeat whose calls are recorded; `before` delays or refuses one, like an outage of the database. */
async function open(before: (beat: number) => void | Promise<void> = () => {}) {
  const beats: number[] = []
  const judged: number[] = []
  const fresh: number[] = []
  const { integrations, sql } = await openHost()
  const { workers } = integrations.storage
  const storage = {
    workers: {
      ...workers,
      async heartbeat(...worker: Parameters<typeof workers.heartbeat>) {
        await before(beats.push(performance.now()))
        return { ...(await workers.heartbeat(...worker)), isOneSilent: true }
      },
      async recoverDead(found: Parameters<typeof workers.recoverDead>[0]) {
        if (found.silentForMs !== null) judged.push(performance.now())
        return workers.recoverDead(found)
      },
    },
  }
  const created = createHeartbeat({
    storage,
    workerId: randomUUID(),
    everyMs: EVERY_MS,
    deadAfterMs: DEAD_AFTER_MS,
    maxAttempts: 8,
    isBrief: false,
    logger: silentLogger,
    clock: integrations.settings.clock,
    onFresh: () => void fresh.push(performance.now()),
    isHolding: () => false,
  })
  heartbeat = created
  /** What the other workers do with one that is silent. */
  const giveUp = () => sql`delete from quickquote.workers`
  return { heartbeat: created, beats, judged, fresh, giveUp }
}

const refuse = () => Promise.reject(new Error('The database is unreachable.'))

describe('a worker', () => {
  it('declares no other dead in its first deadAfterMs', async () => {
    const { heartbeat, beats, judged } = await open()
    await heartbeat.start()
    await expect.poll(() => judged.length).toBeGreaterThan(0)
    expect((judged[0] ?? 0) - (beats[0] ?? 0)).toBeGreaterThanOrEqual(DEAD_AFTER_MS)
  })

  it('declares no other dead for deadAfterMs after a single failed heartbeat', async () => {
    let refused = 0
    const { heartbeat, beats, judged } = await open(() => {
      if (judged.length === 0 || refused > 0) return
      refused = beats.length
      return refuse()
    })
    await heartbeat.start()
    await expect.poll(() => refused).toBeGreaterThan(0)
    const before = judged.length
    await expect.poll(() => judged.length).toBeGreaterThan(before)

    const good = beats[refused] ?? 0
    expect((judged[before] ?? 0) - good).toBeGreaterThanOrEqual(DEAD_AFTER_MS)
  })

  it('declares no other dead for deadAfterMs after it was paused, even without a failed heartbeat', async () => {
    let hung = 0
    const { heartbeat, beats, judged } = await open(async () => {
      if (judged.length === 0 || hung > 0) return
      hung = beats.length
      await new Promise((resolve) => setTimeout(resolve, DEAD_AFTER_MS))
    })
    await heartbeat.start()
    await expect.poll(() => hung).toBeGreaterThan(0)
    const before = judged.length
    await expect.poll(() => judged.length).toBeGreaterThan(before)

    const late = (beats[hung - 1] ?? 0) + DEAD_AFTER_MS
    expect((judged[before] ?? 0) - late).toBeGreaterThanOrEqual(DEAD_AFTER_MS)
  })

  it('is not certain of its leases while its heartbeat is stale, and is notified when it is fresh again', async () => {
    let isAway = false
    const { heartbeat, fresh } = await open(() => (isAway ? refuse() : undefined))
    await heartbeat.start()
    const isHeld = heartbeat.holding()
    // On a busy machine, the first heartbeat may be stale when it returns.
    await expect.poll(() => fresh).not.toEqual([])

    isAway = true
    await expect.poll(isHeld).toBe(false)
    const before = fresh.length
    isAway = false
    await expect.poll(isHeld).toBe(true)
    expect(fresh.length).toBeGreaterThan(before)
  })

  it('that was declared dead meanwhile has lost its earlier leases', async () => {
    const { heartbeat, giveUp } = await open()
    await heartbeat.start()
    const isHeld = heartbeat.holding()

    await giveUp()
    await expect.poll(() => heartbeat.isFresh() && !isHeld()).toBe(true)
    await expect.poll(() => heartbeat.holding()()).toBe(true)
  })
})
