import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))

// Too short to measure anything: the bench first compares the responses of both sides.
it('the list and the feed are measured against routes with the same responses', async () => {
  const benches = ['list-quotations', 'read-events', '--rounds', '1', '--seconds', '0.2']
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...benches])
  for (const goal of [
    'List of quotations, requests/s against a bare route',
    'Event feed, requests/s against a bare route',
  ]) {
    expect(stdout).toMatch(new RegExp(`^\\| ${goal} +\\|.*\\d.*\\|$`, 'm'))
  }
})
