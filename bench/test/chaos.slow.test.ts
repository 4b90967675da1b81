import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))

it('a chaos run loses nothing: every event is delivered or recorded as given up, every request has its attempt', async ({
  onTestFinished,
}) => {
  const bench = spawn(process.execPath, [PROGRAM, 'chaos', '--events', '2000'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void bench.kill())
  let output = ''
  for (const stream of [bench.stdout, bench.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }

  const [code] = await once(bench, 'close')

  expect(code, output).toBe(0)
  expect(output).toMatch(/events accepted +\| +2000/)
  expect(output).toMatch(/left in the queue, leases, workers +\| 0, 0, 0/)
  for (const kind of ['killed', 'paused', 'replaced']) {
    expect(output).toMatch(new RegExp(`workers ${kind} +\\| +[1-9]`))
  }
  expect(output).toMatch(/broken promises +\| +0/)
}, 600_000)
