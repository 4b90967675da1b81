import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { ReceivedWebhook } from '@quickquote/dev-servers'
import { adminOf } from '@quickquote/dev-servers/host'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import {
  type Delivery,
  LANGUAGES,
  MISCONFIGURED,
  missingFor,
  verdictsOf,
} from '../../webhook-signature/test/support/languages.ts'
import { certificate, type HostOptions, ORGANIZATION, openHost, openReceiver } from './support/host.ts'

/** An endpoint whose secret is rotated twice while a worker runs, with the partner's requests from before and after. */
async function rotated(delivery: HostOptions['delivery'] = {}) {
  const partner = await openReceiver()
  const host = await openHost({ delivery })
  const { id, secret } = await host.createEndpoint(partner.url)
  await host.createWorker({ ca: certificate.cert }).start()
  await host.finishStep()
  const before = await partner.next()
  const rotate = async () => {
    const rotation = { overlap_seconds: 3600 }
    const { webhookEndpoints } = host.integrations
    return (await webhookEndpoints.rotateSecret(adminOf(ORGANIZATION), id, rotation)).secret.reveal()
  }
  const [between, another] = [await rotate(), await rotate()]
  await host.finishStep()
  return { secret, between, another, before, during: await partner.next() }
}

const verify = (secret: string, { rawBody, headers }: ReceivedWebhook) =>
  new Webhook(secret).verify(rawBody.toString(), headers as Record<string, string>)

it('the official library verifies our webhooks, with each secret during overlaps', async () => {
  const { secret, between, another, before, during } = await rotated({ standardWebhooks: true })
  const event = verify(secret, before)
  expect(event).toEqual(JSON.parse(before.rawBody.toString()))
  expect(before.headers['webhook-id']).toBe((event as { id: string }).id)
  expect(before.headers['webhook-timestamp']).toBe(before.headers['x-service-timestamp'])
  expect(before.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/)
  expect(() => verify(another, before)).toThrow()

  expect(during.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44} v1,\S{44}$/)
  for (const each of [between, another]) expect(verify(each, during)).toEqual(verify(secret, during))
  // Newest first: some receivers only check the first one.
  const signatures = String(during.headers['webhook-signature']).split(' ')
  for (const [place, each] of [another, between, secret].entries()) {
    const headers = { ...during.headers, 'webhook-signature': signatures[place] }
    expect(() => verify(each, { ...during, headers })).not.toThrow()
  }
  const changed = { ...during, rawBody: Buffer.from(`${during.rawBody} `) }
  expect(() => verify(another, changed)).toThrow()
})

it.for(LANGUAGES)(
  '$name: the receiver in the guide verifies our webhooks, using only the specification',
  { timeout: 300_000 },
  async (language, { skip }) => {
    const missing = missingFor(language)
    skip(missing.length > 0, `${missing.join(' and ')} is not installed`)
    const { secret, between, another, before, during } = await rotated({ standardWebhooks: true })
    const deliveryOf = ({ rawBody, headers }: ReceivedWebhook, key: string): Delivery => ({
      now: Number(headers['webhook-timestamp']),
      timestamp: `${headers['webhook-timestamp']}`,
      signature: `${headers['webhook-signature']}`,
      id: `${headers['webhook-id']}`,
      secrets: [key],
      body: rawBody.toString(),
    })
    const sent = deliveryOf(before, secret)
    const cases: Record<string, Delivery> = {
      valid: sent,
      'valid at the end of the tolerance': { ...sent, now: sent.now + 300 },
      'valid with the oldest secret, during overlaps': deliveryOf(during, secret),
      'valid with the secret between, during overlaps': deliveryOf(during, between),
      'valid with the new secret, during overlaps': deliveryOf(during, another),
      'refused: another secret': deliveryOf(before, another),
      'refused: another body': { ...sent, body: `${sent.body} ` },
      'refused: another id': { ...sent, id: `${sent.id}0` },
      'refused: no id': { ...sent, id: '' },
      'refused: too old': { ...sent, now: sent.now + 301 },
      'refused: too new': { ...sent, now: sent.now - 301 },
      'refused: another timestamp': { ...sent, timestamp: `${sent.now + 1}` },
      'refused: no timestamp': { ...sent, timestamp: '' },
      'refused: no signature': { ...sent, signature: '' },
      'refused: another version': { ...sent, signature: sent.signature.replace('v1,', 'v1a,') },
    }
    const verdicts = verdictsOf(language, Object.values(cases))
    const misconfigured = MISCONFIGURED.map(([, mistake]) => ({ ...sent, secrets: [mistake(secret)] }))
    expect(verdictsOf(language, misconfigured)).toEqual(MISCONFIGURED.map(([error]) => error))
    expect(Object.keys(cases).map((name, index) => `${name}: ${verdicts[index]}`)).toEqual(
      Object.keys(cases).map((name) => `${name}: ${/^\w+/.exec(name)}`),
    )
  },
)

it('the code in the guide does the same', async () => {
  const guide = await readFile(new URL('../../../docs/guides/receiving-webhooks.md', import.meta.url), 'utf8')
  const [, code = ''] = /```js\n(.*?)```/s.exec(guide) ?? []
  // Beside this file, so that the library can be imported by name.
  const file = new URL(`guide-${process.pid}.mjs`, import.meta.url)
  await writeFile(file, code)
  onTestFinished(() => rm(file))
  const { secret, before } = await rotated({ standardWebhooks: true })
  const check = `import { receive } from ${JSON.stringify(file.href)}
    console.log(receive(process.env.BODY, JSON.parse(process.env.HEADERS)).id)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', check], {
    env: { WEBHOOK_SECRET: secret, BODY: `${before.rawBody}`, HEADERS: JSON.stringify(before.headers) },
  })
  expect(stdout.trim()).toBe(before.headers['webhook-id'])
})

it('the official library wants a plain object of headers, as the guide says', async () => {
  const { secret, before } = await rotated({ standardWebhooks: true })
  const headers = new Headers(before.headers as Record<string, string>)
  const receive = (given: object) =>
    new Webhook(secret).verify(before.rawBody.toString(), given as Record<string, string>)
  expect(() => receive(headers)).toThrow('Missing required headers')
  expect(receive(Object.fromEntries(headers))).toEqual(JSON.parse(before.rawBody.toString()))
})

it('is off by default', async () => {
  const { before } = await rotated()
  expect(Object.keys(before.headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
})
