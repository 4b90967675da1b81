import { beforeAll, describe, expect, it } from 'vitest'
import { answerFrameworkError, requestSerializer } from '../src/index.ts'
import { isBefore } from './support/fastify-version.ts'
import { ACME, NOWHERE, useHost } from './support/host.ts'
import { sendRaw } from './support/socket.ts'

const lines: string[] = []
let sessionsAsked = 0
const context = useHost({
  // As in the quick start.
  fastify: {
    logger: {
      level: 'trace',
      serializers: { req: requestSerializer },
      stream: { write: (line: string) => void lines.push(line) },
    },
    frameworkErrors: answerFrameworkError,
  },
  integrations: { limits: { failedAuthenticationsPerMinute: 10_000, requestsPerMinute: 10_000 } },
  plugin: {
    resolveSession(request) {
      sessionsAsked += 1
      if (request.headers['x-member'] === undefined) return null
      return { memberId: 'acme-admin', organizations: [{ id: ACME, role: 'admin' }] }
    },
  },
})
let key: string
beforeAll(async () => {
  key = (await context.host.createKey()).key
})

const percent = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')
const SPELLINGS: readonly [string, (value: string) => string][] = [
  ['as it is', (value) => value],
  ['with its first letter percent-encoded', (value) => `%70${value.slice(1)}`],
  ['with its underscore percent-encoded', (value) => value.replace('_', '%5F')],
  ['percent-encoded', percent],
  ['percent-encoded twice', (value) => percent(value).replaceAll('%', '%25')],
  ['percent-encoded three times', (value) => percent(value).replaceAll('%', '%2525')],
  ['in part twice', (value) => `%2570%6b_${value.slice(3)}`],
]
const PATHS = [
  ['GET', `/v1/integrations/quotations/${NOWHERE}`],
  ['POST', '/v1/integrations/quotations'],
  ['OPTIONS', '/v1/integrations/quotations'],
  ['PROPFIND', '/v1/integrations/quotations'],
  ['GET', '/v1/integrations/nothing'],
  ['GET', `/v1/organizations/${ACME}/api-keys`],
  ['DELETE', `/v1/organizations/${ACME}/webhooks/${NOWHERE}`],
  ['GET', `/v1/organizations/${ACME}/webhooks/nothing/at/all`],
  ['GET', `/v1/organizations/${ACME}/audit-log`],
  ['GET', '/api-docs'],
] as const

/** A log line with all of its percent-decoded forms. */
function decodings(line: string): string[] {
  const forms = [line]
  for (let round = 0; round < 5; round += 1) {
    forms.push(
      (forms.at(-1) ?? '').replace(/%([0-7][0-9a-f])/gi, (_, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    )
  }
  return forms
}

async function send(method: string, target: string): Promise<{ status: string; code: string }> {
  const answer = await sendRaw(
    context.host.url,
    `${method} ${target} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
  )
  return { status: answer.slice(9, 12), code: /"code":"(\w+)"/.exec(answer)?.[1] ?? answer }
}

describe.each(SPELLINGS)('a key in the URL, %s', (_, spell) => {
  it('is refused on every path below our prefixes, before the session is resolved, and is in no log line', async () => {
    const secret = spell(key)
    const before = { lines: lines.length, asked: sessionsAsked }
    const targets = PATHS.flatMap(([method, path]) => [
      [method, `${path}?q=${secret}`],
      [method, `${path}?a=1&api_key=${secret}`],
      [method, `${path}?x=%zz&q=${secret}`],
      [method, `${path}?${secret}`],
      ...(path === '/api-docs' ? [] : [[method, `${path}/${secret}`]]),
    ])
    // Before 5.9, Fastify itself returns 404 if an organization is longer than a parameter may be.
    if (!isBefore(9)) targets.push(['GET', `/v1/organizations/${secret}/webhooks`])
    targets.push(
      ['GET', `/v1/integrations/%zz?api_key=${secret}`],
      ['GET', `/v1/integrations/%zz/${secret}`],
      ['GET', `/v1/organizations/${ACME}/webhooks/%zz?q=${secret}`],
      ['GET', `/v1/integrations/quotations/${'x'.repeat(200)}${secret}`],
    )
    for (const [method = '', target = ''] of targets) {
      expect([method, target, await send(method, target)]).toEqual([
        method,
        target,
        { status: '400', code: 'API_KEY_IN_QUERY' },
      ])
    }
    expect(sessionsAsked).toBe(before.asked)
    const logged = lines.slice(before.lines)
    expect(logged.length).toBeGreaterThan(targets.length)
    expect(logged.flatMap(decodings).filter((line) => line.includes(key.slice(3, -6)))).toEqual([])
  })
})

it('a parameter named like a key is refused on partner routes, and accepted on session routes', async () => {
  expect(await send('GET', `/v1/integrations/quotations/${NOWHERE}?access_token=1`)).toMatchObject({
    status: '400',
  })
  const { status } = await context.host.call('GET', `/v1/organizations/${ACME}/api-keys?access_token=1`, {
    headers: { 'X-Member': 'acme-admin' },
  })
  expect(status).toBe(200)
})
