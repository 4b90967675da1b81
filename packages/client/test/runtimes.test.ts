import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { EdgeVM } from '@edge-runtime/vm'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import { useHost } from './support/host.ts'

const host = useHost()
const program = fileURLToPath(new URL('programs/journey.js', import.meta.url))
const RUNTIMES = [
  { name: 'Node', command: process.execPath, parameters: [] },
  {
    name: 'Deno',
    command: 'deno',
    parameters: [
      'run',
      '--no-config',
      '--no-remote',
      '--node-modules-dir=manual',
      '--allow-net=127.0.0.1',
      '--allow-read',
      '--allow-env',
    ],
  },
  { name: 'Bun', command: 'bun', parameters: ['run'] },
]

async function bundle(format: 'esm' | 'iife', minify: boolean): Promise<string> {
  const entry = new URL('../dist/index.js', import.meta.url).pathname
  const build = await rolldown({
    input: 'entry',
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? id : null),
        load: (id) => (id === 'entry' ? `export { createClient } from ${JSON.stringify(entry)}` : null),
      },
    ],
  })
  const { output } = await build.generate({ format, minify, name: 'client' })
  await build.close()
  return output[0].code
}

it.for(RUNTIMES)(
  'the client starts a quote from a file on $name',
  async ({ name, command, parameters }, { skip }) => {
    const installed = spawnSync(command, ['--version']).status === 0
    // A developer's machine without it skips this; CI must have it.
    if (process.env['CI'] === undefined) skip(!installed, `${name} is not installed`)
    const { partner } = await host().partner()
    const child = spawn(command, [...parameters, program], {
      env: { ...process.env, BASE_URL: host().url, API_KEY: partner.key },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect(output.trim().split('\n')).toEqual(['queued', 'NotFoundError PROPOSAL_NOT_FOUND', 'AbortError'])
  },
)

it('an edge runtime with only Web APIs starts and reads a quote', async () => {
  const runtime = new EdgeVM()
  runtime.evaluate(await bundle('iife', false))
  const { partner } = await host().partner()
  const options = JSON.stringify({ baseUrl: host().url, apiKey: partner.key })
  const started = runtime.evaluate(`(async () => {
    const { quotations } = client.createClient(${options})
    const content = new TextEncoder().encode('# Portal')
    const { quotation_id } = await quotations.start({ files: [{ name: 'a.md', content }] })
    return (await quotations.get(quotation_id)).status
  })()`)
  expect(await started).toBe('queued')
  const path = runtime.evaluate(
    `client.createClient(${options}).quotations.start({ files: ['a.md'] }).catch(({ message }) => message)`,
  )
  expect(await path).toContain('There is no file system here')
})

it('has at most 15 KB, minified and compressed, with its dependencies', async () => {
  expect(gzipSync(await bundle('esm', true)).length).toBeLessThan(15_000)
})
