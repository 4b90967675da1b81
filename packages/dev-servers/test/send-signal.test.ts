import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { sendSignal } from '../src/index.ts'

it('A signal reaches the processes after one that has just ended', async () => {
  const [ended, running] = [0, 60_000].map((ms) =>
    spawn(process.execPath, ['-e', `setTimeout(() => {}, ${ms})`]),
  )
  await once(ended as never, 'exit')
  sendSignal('SIGKILL', ended?.pid ?? 0, running?.pid ?? 0)
  expect(await once(running as never, 'exit')).toEqual([null, 'SIGKILL'])
})
