import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { scratchFolder, startPostgres } from '@quickquote/dev-servers'
import { expect, it } from 'vitest'
import { runChaos } from './run.ts'

/** `CHAOS_EVENTS=100000` runs for six minutes. */
const EVENTS = Number(process.env['CHAOS_EVENTS'] ?? 2000)

it('a chaos run loses nothing: every event is delivered or recorded as given up, every request has its attempt', async ({
  onTestFinished,
}) => {
  // A server of its own, to restart. Without fsync, which makes no difference to an immediate restart.
  const postgres = await startPostgres({
    dataDir: join(scratchFolder(), `quickquote-chaos-${randomUUID()}`),
    persistent: false,
  })
  onTestFinished(() => postgres.stop())

  const run = await runChaos(postgres, EVENTS, onTestFinished)

  expect(run).toMatchObject({
    problems: [],
    accepted: EVENTS,
    remains: { queued: 0, leased: 0, workers: 0 },
  })
  for (const times of Object.values(run.done)) expect(times).toBeGreaterThan(0)
}, 1_200_000)
