import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchFolder, startPostgres, startReplicatedPostgres } from '@quickquote/dev-servers'
import { expect, it } from 'vitest'
import { type ChaosDatabase, runChaos } from './run.ts'

/** `CHAOS_EVENTS=100000` runs for six minutes. */
const EVENTS = Number(process.env['CHAOS_EVENTS'] ?? 2000)
const DOWN_MS = 500

type OnEnd = (stop: () => Promise<void>) => void

/** A server of its own, to restart. Without fsync, which makes no difference to an immediate restart. */
async function openRestarted(onEnd: OnEnd): Promise<ChaosDatabase> {
  const dataDir = join(scratchFolder(), `quickquote-chaos-${randomUUID()}`)
  const postgres = await startPostgres({ dataDir, persistent: false })
  onEnd(() => postgres.stop())
  const url = await postgres.createDatabase()
  return {
    url,
    lastUrl: url,
    fail: () => postgres.restart({ mode: 'immediate', whileDown: () => sleep(DOWN_MS) }),
  }
}

/** The primary is killed, and its synchronous standby promoted. */
async function openFailedOver(onEnd: OnEnd): Promise<ChaosDatabase> {
  const folder = join(scratchFolder(), `quickquote-chaos-${randomUUID()}`)
  await mkdir(folder)
  const replicated = await startReplicatedPostgres(folder)
  onEnd(async () => {
    await replicated.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    url: replicated.url,
    lastUrl: replicated.standbyUrl,
    failures: 1,
    async fail() {
      replicated.killPrimary()
      await sleep(DOWN_MS)
      await replicated.promote()
    },
  }
}

it.for<[string, (onEnd: OnEnd) => Promise<ChaosDatabase>]>([
  ['restarts', openRestarted],
  ['fails over to its standby', openFailedOver],
])(
  'a chaos run loses nothing while the database %s: every event is delivered or recorded as given up, every request has its attempt',
  { timeout: 1_200_000 },
  async ([, open], { onTestFinished }) => {
    const run = await runChaos(await open(onTestFinished), EVENTS, onTestFinished)

    expect(run).toMatchObject({
      problems: [],
      accepted: EVENTS,
      remains: { queued: 0, leased: 0, workers: 0 },
    })
    for (const times of Object.values(run.done)) expect(times).toBeGreaterThan(0)
    if (EVENTS > 2000) console.log(run)
  },
)
