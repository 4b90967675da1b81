import { randomInt } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchFolder, sendSignal, startPostgres } from '@quickquote/dev-servers'
import { it } from 'vitest'
import { cancelAll, cancelOne, THEIRS, type Trouble, terminateOne, torture } from './support/torture.ts'

it('A minute of cancels, ended and frozen sessions and restarts loses nothing, and mixes up nothing', async () => {
  const dataDir = mkdtempSync(join(scratchFolder(), 'quickquote-torture-'))
  const server = await startPostgres({ dataDir, persistent: false })
  let turn = 0
  /** Longer than the driver waits for an answer, at times. */
  const freeze: Trouble = async (run) => {
    const rows = await run(`select pid from ${THEIRS} order by random() limit 3`)
    const pids = rows.map(([pid]) => Number(pid))
    sendSignal('SIGSTOP', ...pids)
    await sleep(randomInt(20, 1200))
    sendSignal('SIGCONT', ...pids)
  }
  const restart: Trouble = async () => {
    turn += 1
    if (turn % 10 === 0) await server.restart({ mode: turn % 20 === 0 ? 'immediate' : 'fast' })
  }
  await torture(server.url, 60_000, [
    cancelOne,
    terminateOne,
    cancelAll,
    cancelOne,
    terminateOne,
    freeze,
    restart,
  ])
  await server.stop()
})
