import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { itWith } from '@quickquote/dev-servers/vitest'
import { expect } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))

itWith('curl')(
  'no small valid upload by fetch, undici or curl is refused, ten at once',
  async () => {
    const bench = [PROGRAM, 'repeated-uploads', '--uploads', '300']
    const { stdout } = await promisify(execFile)(process.execPath, bench, { timeout: 200_000 })
    for (const client of ['fetch', 'undici', 'curl'])
      expect(stdout).toMatch(new RegExp(`^\\| ${client} +\\| +100 \\| +0 \\|`, 'm'))
  },
  240_000,
)
