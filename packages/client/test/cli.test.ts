import { spawn } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isQuotationEvent, verify } from '@quickquote/webhook-signature'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { useHost } from './support/host.ts'
import { answer, hang, problem, startService } from './support/service.ts'

const host = useHost({ limits: { requestsPerMinute: 1000, startsPerMinute: 1000 } })
/** Has the form of a key. */
const KEY = `pk_${'a1B2'.repeat(12)}9`
const CLI = fileURLToPath(new URL('../bin/quickquote.js', import.meta.url))
let state: string

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'quickquote-'))
  return () => rm(state, { recursive: true })
})

/** Runs the command line. `output` is its output so far. */
function run(args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env['PATH'], XDG_STATE_HOME: state, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const over = once(child, 'close').then(([code]) => ({ code, output }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await over
  })
  return { output: () => output, over, stop: () => child.kill('SIGTERM') }
}

const secretOf = (output: string) => /whsec_\S+/.exec(output)?.[0] ?? expect.fail(output)

describe('listen', () => {
  it('forwards each event with a signature, prints the result, and continues where it stopped', async () => {
    const { partner } = await host().partner()
    const receiver = await startService([answer(200), answer(500)])
    const environment = { QUICKQUOTE_API_KEY: partner.key }
    const args = [
      'listen',
      '--base-url',
      host().url,
      '--forward-to',
      `${receiver.url}/webhooks`,
      '--types',
      'quotation.failed',
    ]

    const first = run(args, environment)
    await expect
      .poll(() => readdir(join(state, 'quickquote')).catch(() => []))
      .toContainEqual(expect.stringContaining('position-'))
    const quote = await partner.startQuote()
    await quote.fail({ errorCode: 'MODEL_TIMEOUT' })
    await expect.poll(first.output).toMatch(/quotation\.failed evt_\S+ -> 200 \(\d+ ms\)/)
    const secret = secretOf(first.output())
    first.stop()
    expect((await first.over).code).toBe(0)
    const [request] = receiver.requests
    const event = await verify({
      headers: request?.headers ?? {},
      body: request?.body ?? '',
      secrets: secret,
    })
    expect(isQuotationEvent(event) && event.data.quotation_id).toBe(quote.id)
    expect([request?.path, request?.headers['x-service-event-id']]).toEqual(['/webhooks', event.id])

    const missed = await partner.startQuote()
    await missed.fail()
    const second = run(args, environment)
    await expect.poll(second.output).toMatch(/quotation\.failed evt_\S+ -> 500/)
    expect(secretOf(second.output())).toBe(secret)
    second.stop()
    await second.over
    expect(receiver.requests.map(({ body }) => JSON.parse(String(body)).data.quotation_id)).toEqual([
      quote.id,
      missed.id,
    ])
    for (const name of await readdir(join(state, 'quickquote'))) {
      const path = join(state, 'quickquote', name)
      expect((await stat(path)).mode & 0o077).toBe(0)
      expect(await readFile(path, 'utf8')).not.toContain(partner.key)
    }
    expect(first.output() + second.output()).not.toContain(partner.key)
  })

  it('waits if nothing listens', async () => {
    const { partner } = await host().partner()
    const quote = await partner.startQuote()
    await quote.fail()
    const after = (await createEvents(partner.key))[0] ?? ''
    expect(after).toMatch(/^evt_/)
    await (await partner.startQuote()).fail()
    const args = [
      'listen',
      '--base-url',
      host().url,
      '--forward-to',
      'http://127.0.0.1:1/hook',
      '--after',
      after,
    ]
    const listening = run(args, { QUICKQUOTE_API_KEY: partner.key })
    await expect.poll(listening.output).toContain('no response from http://127.0.0.1:1/hook. Waiting for it.')
  })

  it('stops at once, although the receiver is slow and more events follow', async () => {
    const events = ['evt_1', 'evt_2'].map((id) => ({ id, type: 'quotation.failed' }))
    const link = { Link: '</v1/integrations/events?after=there>; rel="next"' }
    const service = await startService([answer(200, events, link)])
    const receiver = await startService([hang])
    const args = ['listen', '--base-url', service.url, '--forward-to', receiver.url, '--after', 'here']
    const listening = run(args, { QUICKQUOTE_API_KEY: KEY })
    await receiver.seen(1)
    const begun = performance.now()
    listening.stop()
    expect((await listening.over).code).toBe(0)
    expect(performance.now() - begun).toBeLessThan(5000)
    expect(receiver.requests).toHaveLength(1)
  })

  it('survives a restart of the service, and says so once', async () => {
    const receiver = await startService([answer(204)])
    const link = { Link: '</v1/integrations/events?after=there>; rel="next"' }
    const event = { id: 'evt_after_restart', type: 'quotation.failed' }
    let page = answer(200, [], link)
    const open = async (port: number) => {
      const server = createServer((request, response) => {
        page(response, {
          method: 'GET',
          path: request.url,
          headers: request.headers,
          body: Buffer.alloc(0),
          at: 0,
        })
      }).listen(port, '127.0.0.1')
      await once(server, 'listening')
      onTestFinished(() => void server.close().closeAllConnections())
      return server
    }
    const before = await open(0)
    const { port } = before.address() as AddressInfo
    const base = `http://127.0.0.1:${port}`
    const listening = run(['listen', '--base-url', base, '--forward-to', receiver.url], {
      QUICKQUOTE_API_KEY: KEY,
    })
    await expect.poll(listening.output).toContain('Forwarding events')
    before.close().closeAllConnections()
    await once(before, 'close')
    await expect.poll(listening.output).toContain(`Connection to 127.0.0.1:${port} failed: `)
    page = answer(200, [event], link)
    await open(port)
    await expect.poll(listening.output).toContain('evt_after_restart -> 204')
    expect(listening.output().match(/Connection to .*Waiting for the service\./g)).toHaveLength(1)
    expect(listening.output()).toContain('The service is back.')
    expect(listening.output()).not.toContain(KEY)
  })

  it('asks seldom if the service answers early, as to the sixth reader of a key', async () => {
    const empty = answer(200, [], { Link: '</v1/integrations/events?after=here>; rel="next"' })
    const service = await startService([empty])
    run(['listen', '--base-url', service.url, '--forward-to', 'http://127.0.0.1:1'], {
      QUICKQUOTE_API_KEY: KEY,
    })
    await service.seen(4)
    // From the first one, after which the rounds of 2 and 4 s begin: each request may have arrived late.
    const [first = 0, , third = 0, fourth = 0] = service.requests.map(({ at }) => at)
    expect(third - first).toBeGreaterThan(1990)
    expect(fourth - first).toBeGreaterThan(5980)
  })

  it.each([
    ['listen %s'],
    ['listen --base-url http://127.0.0.1:1 %s'],
    ['trigger quotation.completed %s'],
    ['trigger %s'],
    ['%s'],
    ['listen --%s'],
    ['listen --standard-webhooks=%s'],
  ])('a key among the arguments is not printed: %j', async (line) => {
    const { code, output } = await run(line.replace('%s', KEY).split(' ')).over
    expect(code).toBe(2)
    expect(output).not.toContain(KEY.slice(3))
  })

  it.each([
    [
      'without a key',
      ['listen', '--base-url', 'http://127.0.0.1:1', '--forward-to', 'http://127.0.0.1:1'],
      'Set QUICKQUOTE_API_KEY',
    ],
    ['without an address', ['listen', '--forward-to', 'http://127.0.0.1:1'], '--base-url is missing'],
    [
      'with a wrong URL',
      ['listen', '--base-url', 'http://127.0.0.1:1', '--forward-to', 'localhost'],
      '--forward-to must be an http(s) URL',
    ],
    ['with an unknown option', ['listen', '--api-key', 'pk_x'], "Unknown option '--api-key'"],
    ['that does not exist', ['serve'], 'Unknown command "serve"'],
  ])('a command %s says what is wrong', async (_, args, message) => {
    const { code, output } = await run(args).over
    expect([code, output]).toEqual([2, expect.stringContaining(message)])
  })

  const HOSTILE = 'x\u001b[2J\u001b]0;owned\u0007\r\n\u009b1m\u202etxt'
  const ESCAPED = String.raw`x\u001b[2J\u001b]0;owned\u0007\u000d\u000a\u009b1m\u202etxt`
  const link = { Link: '</v1/integrations/events?after=x>; rel="next"' }

  it.each([
    ['an error', problem(400, 'VALIDATION_FAILED', {}, { detail: HOSTILE })],
    ['a refused key', problem(401, 'API_KEY_INVALID', {}, { detail: HOSTILE })],
    ['an event', answer(200, [{ id: 'evt_1', type: HOSTILE }], link)],
  ])('escapes the control characters of %s, which could command the terminal', async (_what, behavior) => {
    const service = await startService([behavior])
    const receiver = await startService([answer(204)])
    const args = ['listen', '--base-url', service.url, '--forward-to', receiver.url, '--after', 'evt_0']
    const listening = run(args, { QUICKQUOTE_API_KEY: KEY })
    await expect.poll(listening.output).toContain(ESCAPED)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(listening.output()).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
  })

  it('ends at once if another service answers', async () => {
    const service = await startService([answer(200, { status: 'ok' }, link)])
    const args = ['listen', '--base-url', service.url, '--forward-to', 'http://127.0.0.1:1']
    const { code, output } = await run(args, { QUICKQUOTE_API_KEY: KEY }).over
    expect([code, output]).toEqual([1, expect.stringContaining('The response is not from this API')])
    expect(service.requests).toHaveLength(1)
  })

  it('reports a refused key', async () => {
    const args = ['listen', '--base-url', host().url, '--forward-to', 'http://127.0.0.1:1']
    const { code, output } = await run(args, { QUICKQUOTE_API_KEY: 'pk_unknown' }).over
    expect([code, output]).toEqual([1, expect.stringContaining('The API key was refused: API_KEY_INVALID')])
    expect(output).not.toContain('pk_unknown')
  })
})

describe('trigger', () => {
  it('adds the headers of Standard Webhooks on request', async () => {
    const receiver = await startService([answer(204), answer(204)])
    const args = ['trigger', 'quotation.completed', '--to', receiver.url]
    const { output } = await run([...args, '--standard-webhooks']).over
    await run(args).over
    const [standard, plain] = receiver.requests
    const { 'webhook-id': id, 'webhook-timestamp': timestamp } = standard?.headers ?? {}
    expect([id, timestamp]).toEqual([
      standard?.headers['x-service-event-id'],
      standard?.headers['x-service-timestamp'],
    ])
    // As in its specification.
    const key = Buffer.from(secretOf(output).replace('whsec_', ''), 'base64')
    const signature = createHmac('sha256', key)
      .update(`${id}.${timestamp}.${standard?.body}`)
      .digest('base64')
    expect(standard?.headers['webhook-signature']).toBe(`v1,${signature}`)
    expect(plain?.headers).not.toHaveProperty('webhook-signature')
  })

  it('sends a signed example, and exits with 0 only if the receiver accepts it', async () => {
    const receiver = await startService([answer(204), answer(500)])
    const args = ['trigger', 'quotation.completed', '--to', receiver.url, '--header-prefix', 'Acme']
    const { code, output } = await run(args).over
    expect([code, output]).toEqual([0, expect.stringMatching(/quotation\.completed evt_\S+ -> 204/)])
    const [request] = receiver.requests
    const event = await verify({
      headers: request?.headers ?? {},
      headerPrefix: 'Acme',
      body: request?.body ?? '',
      secrets: secretOf(output),
    })
    expect(event.type).toBe('quotation.completed')
    expect((await run(args).over).code).toBe(1)
  })

  it('keeps its secret in the home directory if XDG_STATE_HOME is empty', async () => {
    const receiver = await startService([answer(204)])
    const args = ['trigger', 'quotation.completed', '--to', receiver.url]
    await run(args, { XDG_STATE_HOME: '', HOME: state }).over
    expect(await readdir(join(state, '.local/state/quickquote'))).toEqual(['secret'])
  })

  it('signs with the secret in a file', async () => {
    const receiver = await startService([answer(204)])
    const file = join(state, 'secret.txt')
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    await writeFile(file, `${secret}\n`)
    const { output } = await run(['trigger', 'quotation.failed', '--to', receiver.url, '--secret-file', file])
      .over
    expect(output).not.toContain('whsec_')
    const [request] = receiver.requests
    const sent = { headers: request?.headers ?? {}, body: request?.body ?? '', secrets: secret }
    expect((await verify(sent)).type).toBe('quotation.failed')
  })

  it.each([
    ['nothing', ''],
    ['a text', 'my secret'],
    ['an API key', KEY],
    ['the beginning of a secret', 'whsec_'],
    ['several lines', `whsec_${'A'.repeat(43)}=\nwhsec_${'B'.repeat(43)}=`],
  ])('does not sign with a file that contains %s', async (_what, content) => {
    const receiver = await startService([answer(204)])
    const file = join(state, 'no-secret.txt')
    await writeFile(file, content)
    const args = ['trigger', 'quotation.failed', '--to', receiver.url, '--secret-file', file]
    const { code, output } = await run(args).over
    expect([code, output]).toEqual([2, expect.stringContaining(`${file} must contain the signing secret`)])
    expect(output).not.toContain(KEY)
    expect(receiver.requests).toHaveLength(0)
  })

  it('does not follow a redirect of the receiver, like the service', async () => {
    const other = await startService([answer(204)])
    const receiver = await startService([answer(307, undefined, { Location: other.url })])
    const { code, output } = await run(['trigger', 'quotation.failed', '--to', receiver.url]).over
    expect([code, output]).toEqual([1, expect.stringMatching(/quotation\.failed evt_\S+ -> 307/)])
    expect(other.requests).toHaveLength(0)
  })

  it('lists the event types', async () => {
    const { code, output } = await run(['trigger', 'quotation.done', '--to', 'http://127.0.0.1:1']).over
    expect([code, output]).toEqual([2, expect.stringContaining('  quotation.completed')])
  })
})

async function createEvents(key: string): Promise<string[]> {
  const response = await fetch(`${host().url}/v1/integrations/events`, { headers: { 'X-API-Key': key } })
  return ((await response.json()) as { id: string }[]).map(({ id }) => id)
}

it('--version prints the version of the package', async () => {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  expect(await run(['--version']).over).toEqual({ code: 0, output: `${JSON.parse(manifest).version}\n` })
})
