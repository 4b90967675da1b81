import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { EdgeVM } from '@edge-runtime/vm'
import { rolldown } from 'rolldown'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bodyOf, SECRET, send, signedHeaders } from './support/delivery.ts'
import vectors from './vectors.json' with { type: 'json' }

const program = fileURLToPath(new URL('programs/serve.js', import.meta.url))
const expected = vectors.map((vector) => vector.expected)
const body = bodyOf('evt_1')
const unlucky = bodyOf('evt_unlucky')

const RUNTIMES = [
  {
    name: 'Deno',
    command: 'deno',
    parameters: ['run', '--no-config', '--no-remote', '--allow-net=127.0.0.1'],
  },
  { name: 'Bun', command: 'bun', parameters: ['run'] },
]

async function start(command: string, parameters: readonly string[]): Promise<string> {
  // In a process group: the command may be a script of npm, which starts the runtime and would leave it behind.
  const child = spawn(command, [...parameters, program], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    if (child.pid === undefined) return
    const exited = once(child, 'exit')
    process.kill(-child.pid, 'SIGKILL')
    await exited
  })
  await once(child, 'spawn')
  const { value: port } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  return `http://127.0.0.1:${port}`
}

it.for(RUNTIMES)(
  '$name agrees with every test vector, and accepts webhooks',
  async ({ command, parameters }, { skip }) => {
    const installed = spawnSync(command, ['--version']).status === 0
    // Without it this is skipped, and reported as skipped; in CI it fails.
    if (process.env['CI'] === undefined) skip(!installed, `${command} is not installed`)
    const url = await start(command, parameters)

    const { text } = await send(`${url}/vectors`, {}, JSON.stringify(vectors))
    expect(JSON.parse(text)).toEqual(expected)

    const headers = await signedHeaders(body)
    expect((await send(url, headers, body)).status).toBe(204)
    expect((await send(url, headers, [body.slice(0, 10), body.slice(10)])).status).toBe(204)
    expect(await send(url, headers, unlucky)).toMatchObject({ status: 401, text: 'SIGNATURE_MISMATCH' })
    expect((await send(url, await signedHeaders(unlucky), unlucky)).status).toBe(500)
    expect((await send(url, headers, Buffer.alloc(64 * 1024 + 1))).status).toBe(413)
  },
)

describe('An edge runtime, which has only Web APIs', () => {
  /** Bundled into one script, as for deployment. */
  async function edge(): Promise<EdgeVM> {
    const runtime = new EdgeVM()
    for (const [name, file] of [
      ['signature', 'index'],
      ['handlers', 'fetch'],
    ] as const) {
      const input = fileURLToPath(new URL(`../dist/${file}.js`, import.meta.url))
      const bundle = await rolldown({ input, platform: 'browser' })
      const { output } = await bundle.generate({ format: 'iife', name })
      await bundle.close()
      runtime.evaluate(output[0].code)
    }
    return runtime
  }

  it('agrees with every test vector', async () => {
    const runtime = await edge()
    const verdicts = runtime.evaluate(`Promise.all(${JSON.stringify(vectors)}.map(
      ({ headers, body, secrets, now }) =>
        signature.verify({ headers, body, secrets, now: new Date(now * 1000) })
          .then(() => 'valid', ({ code }) => code)))`)
    expect(await verdicts).toEqual(expected)
  })

  it('takes webhooks', async () => {
    const runtime = await edge()
    const answers = runtime.evaluate(`
      const handle = handlers.fetchWebhooks({
        secrets: '${SECRET}',
        onEvent: () => undefined,
      })
      Promise.all(${JSON.stringify([body, `${body} `])}.map(async (body) => {
        const headers = ${JSON.stringify(await signedHeaders(body))}
        return (await handle(new Request('https://partner.example/', { method: 'POST', headers, body }))).status
      }))`)
    expect(await answers).toEqual([204, 401])
  })
})
