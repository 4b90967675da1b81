import { integrationsOn, keepLogs, type TestOptions } from '@quickquote/dev-servers/host'
import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newId } from '../src/lib/new-id.ts'

const START = Date.parse('2026-11-22T12:00:00Z')

/** How far the database's clock is ahead of this machine's. */
let databaseAheadMs: number
/** How long the database takes to respond, and whether it does. */
let answer: () => Promise<void>
let asked: number
const { logger, lines } = keepLogs()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: START })
  databaseAheadMs = 0
  answer = async () => {}
  asked = 0
  lines.splice(0)
})

afterEach(() => void vi.useRealTimers())

const database = await migratedDatabase()
// One connection, made before the timers are fake: a new one waits for a timer.
const storage = drizzleStorage({ connectionString: database.url, maxConnections: 1 })
await storage.clock.read()
afterAll(async () => {
  await storage.close()
  await database.drop()
})

/** A host whose database has that time. */
function open(options: TestOptions = {}) {
  const clock = {
    async read() {
      asked += 1
      const time = Date.now() + databaseAheadMs
      await answer()
      return new Date(time)
    },
  }
  return integrationsOn({ ...storage, clock }, { logger, ...options })
}

const call = (integrations: ReturnType<typeof open>) =>
  integrations.apiKeys.authenticate('x').catch(() => undefined)
const nowOf = (integrations: ReturnType<typeof open>) => integrations.settings.now().getTime()
const hours = (count: number) => count * 60 * 60 * 1000

describe('the time of a process', () => {
  it('is the database’s from the first call on, whatever this machine’s clock says', async () => {
    databaseAheadMs = -hours(48)
    const integrations = open()

    await call(integrations)

    expect(nowOf(integrations)).toBe(START - hours(48))
    expect(integrations.settings.clock.aheadMs()).toBe(hours(48))
    vi.advanceTimersByTime(3000)
    expect(nowOf(integrations)).toBe(START - hours(48) + 3000)
  })

  it('is compared every 5 s while in use, and otherwise not', async () => {
    const integrations = open()
    await call(integrations)
    await call(integrations)
    expect(asked).toBe(1)

    vi.advanceTimersByTime(4000)
    await call(integrations)
    expect(asked).toBe(1)

    vi.advanceTimersByTime(hours(0.1))
    expect(asked).toBe(1)
    await call(integrations)
    await call(integrations)
    expect(asked).toBe(2)
  })

  it.each([
    ['set ahead', hours(48)],
    ['set back', -hours(48)],
  ])('stays the same if the machine’s clock is %s, and is compared at the next call', async (_, stepMs) => {
    const integrations = open()
    await call(integrations)

    vi.setSystemTime(START + stepMs)
    databaseAheadMs = -stepMs
    expect(nowOf(integrations)).toBe(START)

    await call(integrations)
    expect(asked).toBe(2)
    expect(nowOf(integrations)).toBe(START)
  })

  it('is the machine’s until the database responds, and a call waits at most a second', async () => {
    answer = () => new Promise(() => {})
    const integrations = open()

    const called = call(integrations)
    await vi.advanceTimersByTimeAsync(1000)
    await called

    expect(nowOf(integrations)).toBe(START + 1000)
  })

  it('is not considered wrong if the database responds late', async () => {
    answer = async () => void vi.advanceTimersByTime(9000)
    const integrations = open()

    await call(integrations)

    expect(integrations.settings.clock.aheadMs()).toBe(0)
    expect(lines).toEqual([])
  })

  it('is that of the host’s own clock, without asking the database', async () => {
    databaseAheadMs = hours(48)
    const integrations = open({ now: () => new Date(0) })

    await call(integrations)

    expect(nowOf(integrations)).toBe(0)
    expect(await integrations.settings.clock.read()).toEqual(new Date(0))
    expect(asked).toBe(0)
  })
})

describe('a difference between the clocks', () => {
  async function differencesOf(...ahead: number[]): Promise<void> {
    const { clock } = open().settings
    for (const ms of ahead) {
      databaseAheadMs = -ms
      await clock.read()
    }
  }

  it('is logged once from 5 s on, and is serious from 30 s on', async () => {
    await differencesOf(4999, -4999, 5000, -29_000, -30_000, 31_000, 3000, 0, 0)
    expect(lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      "warn: the clock of this machine differs from the database's: correct it (NTP); the database's time is used",
      "error: the clock of this machine is wrong: correct it (NTP); the database's time is used",
      "info: the clock of this machine agrees with the database's again",
    ])
  })
})

describe('ids', () => {
  const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

  it('contain the given time, and sort in the order of their creation', () => {
    const time = new Date('2031-05-05T05:05:05.555Z')
    const ids = Array.from({ length: 1000 }, () => newId(time))
    expect(new Set(ids.map(timeOf))).toEqual(new Set([time.getTime()]))
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids)).toHaveProperty('size', 1000)
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('keep that order if the clock goes back a little, and follow it back a day', () => {
    const [first, second, third] = [10_000_000_000, 9_999_999_500, 9_900_000_000].map((ms) =>
      newId(new Date(ms)),
    )
    expect([second, first].sort()).toEqual([first, second])
    expect(timeOf(third ?? '')).toBe(9_900_000_000)
  })
})
