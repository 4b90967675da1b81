import { randomInt, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchFolder, startReplicatedPostgres } from '@quickquote/dev-servers'
import { expect, it } from 'vitest'
import { type ChaosDatabase, type ChaosOptions, runChaos } from './run.ts'

const FEW = 2000
/** `CHAOS_EVENTS=100000` runs for six minutes, and prints the figures. */
const EVENTS = Number(process.env['CHAOS_EVENTS'] ?? FEW)
/** `CHAOS_SEED=` repeats the disturbances of a run that printed it. */
const SEED = Number(process.env['CHAOS_SEED'] ?? randomInt(2 ** 31))
/** So long an asynchronous standby is behind when its primary is lost. */
const BEHIND_MS = 1000

/** Restarts are immediate, like crashes; a failover kills the primary. */
async function openDatabase(isSynchronous: boolean, onEnd: ChaosOptions['onEnd']): Promise<ChaosDatabase> {
  const folder = join(scratchFolder(), `quickquote-chaos-${randomUUID()}`)
  await mkdir(folder)
  const replicated = await startReplicatedPostgres(folder, { isSynchronous })
  onEnd(async () => {
    await replicated.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  let current = replicated.primary
  return {
    url: replicated.url,
    restart: (downMs) => current.restart({ mode: 'immediate', whileDown: () => sleep(downMs) }),
    async failOver(downMs) {
      if (!isSynchronous) {
        await replicated.stopSending()
        await sleep(BEHIND_MS)
      }
      replicated.killPrimary()
      await sleep(downMs)
      await replicated.promote()
      current = replicated.standby
    },
    lastUrl: replicated.standbyUrl,
    async findLostPrimary() {
      if (isSynchronous) return undefined
      await replicated.primary.restart()
      return replicated.primaryUrl
    },
  }
}

async function runOn(isSynchronous: boolean, onEnd: ChaosOptions['onEnd']) {
  console.log(`CHAOS_SEED=${SEED}`)
  const database = await openDatabase(isSynchronous, onEnd)
  const run = await runChaos({ database, events: EVENTS, seed: SEED, onEnd })
  if (EVENTS > FEW) console.log(run)
  expect(run).toMatchObject({
    problems: [],
    accepted: EVENTS,
    remains: { queued: 0, leased: 0, workers: 0 },
  })
  for (const times of Object.values(run.done)) expect(times).toBeGreaterThan(0)
  return run
}

const TIMEOUT = { timeout: Math.max(1_200_000, EVENTS * 36) }

it(
  'a synchronous standby takes over in chaos: every event is delivered or recorded as given up, every request has its attempt',
  TIMEOUT,
  async ({ onTestFinished }) => {
    const { lost } = await runOn(true, onTestFinished)

    expect(lost).toEqual({ events: 0, attempts: 0, requests: 0 })
  },
)

it(
  'an asynchronous standby takes over in chaos: only what it had not yet received is lost, and all else is delivered',
  TIMEOUT,
  async ({ onTestFinished }) => {
    const { lost } = await runOn(false, onTestFinished)

    expect(lost.events).toBeGreaterThan(0)
  },
)
