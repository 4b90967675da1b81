import { createIntegrations, type Storage } from '@quickquote/core'
import { type Heartbeat as Beat, silentLogger } from '@quickquote/core/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { createHeartbeat, type Heartbeat, holds } from '../src/upkeep/heartbeat.ts'

const EVERY_MS = 40
/** Twenty heartbeats, so that none is late enough on a busy machine. */
const DEAD_AFTER_MS = 800

let heartbeat: Heartbeat | undefined

afterEach(async () => {
  await heartbeat?.stop()
})

type Answer = (beat: number) => Beat | Promise<Beat>
const known = () => ({ at: new Date(), isNew: false })

/** A heartbeat on a storage that records its calls. */
function open(answer: Answer) {
  const beats: number[] = []
  const judged: number[] = []
  const fresh: number[] = []
  const storage = {
    transaction() {},
    quotations: {},
    workers: {
      async heartbeat() {
        const beat = beats.push(performance.now())
        return answer(beat)
      },
      async recoverDead() {
        judged.push(performance.now())
        return { deliveries: 0, starts: 0 }
      },
    },
  } as unknown as Storage
  const { settings } = createIntegrations({
    storage,
    pipeline: { start: async () => {}, signDocumentUrl: async () => ({ url: '', expires_at: new Date() }) },
    encryptionKeys: [{ id: 'k', key: Buffer.alloc(32, 1) }],
    logger: silentLogger,
  })
  const created = createHeartbeat({
    storage,
    workerId: 'w',
    everyMs: EVERY_MS,
    deadAfterMs: DEAD_AFTER_MS,
    maxAttempts: 8,
    logger: silentLogger,
    clock: settings.clock,
    onFresh: () => void fresh.push(performance.now()),
  })
  heartbeat = created
  return { heartbeat: created, beats, judged, fresh }
}

const refuse = () => Promise.reject(new Error('The database is unreachable.'))

describe('a worker', () => {
  it('declares no other dead in its first deadAfterMs', async () => {
    const { heartbeat, beats, judged } = open(known)
    await heartbeat.start()
    await expect.poll(() => judged.length).toBeGreaterThan(0)
    expect((judged[0] ?? 0) - (beats[0] ?? 0)).toBeGreaterThanOrEqual(DEAD_AFTER_MS)
  })

  it('declares no other dead for deadAfterMs after a single failed heartbeat', async () => {
    let refused = 0
    const { heartbeat, beats, judged } = open(() => {
      if (judged.length === 0 || refused > 0) return known()
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
    const { heartbeat, beats, judged } = open(async () => {
      if (judged.length === 0 || hung > 0) return known()
      hung = beats.length
      await new Promise((resolve) => setTimeout(resolve, DEAD_AFTER_MS))
      return known()
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
    const { heartbeat, fresh } = open(() => (isAway ? refuse() : known()))
    await heartbeat.start()
    const life = heartbeat.life()
    expect(fresh).toHaveLength(1)

    isAway = true
    await expect.poll(() => holds(heartbeat, life)).toBe(false)
    isAway = false
    await expect.poll(() => holds(heartbeat, life)).toBe(true)
    expect(fresh.length).toBeGreaterThan(1)
  })

  it('that was declared dead meanwhile has lost its earlier leases', async () => {
    let isGivenUp = false
    const { heartbeat } = open(() => ({ at: new Date(), isNew: isGivenUp }))
    await heartbeat.start()
    const life = heartbeat.life()

    isGivenUp = true
    await expect.poll(() => heartbeat.life()).not.toBe(life)
    isGivenUp = false
    expect(holds(heartbeat, life)).toBe(false)
    await expect.poll(() => holds(heartbeat, heartbeat.life())).toBe(true)
  })
})
