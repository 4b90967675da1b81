import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { headerNames, sign, WEBHOOK_VERIFICATION_ERROR_CODES } from '@quickquote/webhook-signature'
import { afterEach, expect, it } from 'vitest'
import vectors from './vectors.json' with { type: 'json' }

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(`${packageFolder}/README.md`, 'utf8')
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw0zJmuqz4kT1xE='
const body = vectors[0]?.body ?? ''

function sample(name: string): string {
  const code = new RegExp(`\`\`\`js ${name}\\n([^]*?)\`\`\``).exec(readme)?.[1]
  if (code === undefined) throw new Error(`The README has no sample "${name}"`)
  return code
}

const running = new Set<ReturnType<typeof run>>()

/** Runs code as a partner would: a module that imports the installed package. */
function run(code: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: packageFolder,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(code)
  return child
}

afterEach(async () => {
  for (const child of running) {
    const exited = once(child, 'exit')
    if (child.exitCode === null && child.kill()) await exited
  }
  running.clear()
})

async function signedHeaders(signed: string): Promise<Record<string, string>> {
  const timestamp = Math.floor(Date.now() / 1000)
  const names = headerNames()
  return {
    [names.contentType]: 'application/json',
    [names.timestamp]: String(timestamp),
    [names.signature]: await sign({ secret, timestamp, body: signed }),
  }
}

it('the Node sample takes a signed delivery once, and refuses a tampered one', async () => {
  const child = run(sample('node'), { PORT: '0', WEBHOOK_SECRET: secret })
  running.add(child)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const port = (await lines.next()).value?.replace('listening on ', '')
  const post = async (sent: string) =>
    (
      await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: await signedHeaders(body),
        body: sent,
      })
    ).status

  expect(await post(body)).toBe(204)
  expect((await lines.next()).value).toBe(
    'quotation.work_breakdown.completed: quotation 5b1f7d2e-3c4a-4f6b-9a8d-1e2f3a4b5c6d completed',
  )
  expect(await post(body)).toBe(204)
  expect(await post(body.replace('completed', 'failed'))).toBe(400)
  child.kill()
  expect((await lines.next()).done).toBe(true)
  expect(await text(child.stderr)).toBe('refused: SIGNATURE_MISMATCH\n')
})

it('the Node sample without a secret answers 500: the delivery will come again', async () => {
  const child = run(sample('node'), { PORT: '0', WEBHOOK_SECRET: '' })
  running.add(child)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const port = (await lines.next()).value?.replace('listening on ', '')
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: await signedHeaders(body),
    body,
  })
  expect(answer.status).toBe(500)
})

it('the fetch sample answers a signed delivery, and refuses a tampered one', async () => {
  const headers = JSON.stringify(await signedHeaders(body))
  const child = run(`${sample('fetch')}
    for (const body of ${JSON.stringify([body, `${body} `])}) {
      const request = new Request('https://example.com/', { method: 'POST', headers: ${headers}, body })
      const response = await handleWebhook(request, ${JSON.stringify(secret)})
      console.log(response.status, await response.text())
    }`)
  running.add(child)
  expect(await text(child.stdout)).toBe(
    '200 {"received":"evt_0193a5c2-7b1e-7f3a-8c4d-2e5f6a7b8c9d"}\n400 SIGNATURE_MISMATCH\n',
  )
})

it('lists exactly the error codes that there are', () => {
  const listed = [...readme.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, code]) => code)
  expect(listed.toSorted()).toEqual([...WEBHOOK_VERIFICATION_ERROR_CODES].toSorted())
})
