import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { ReceivedWebhook } from '@quickquote/dev-servers'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { rotated } from './support/rotated-secret.ts'

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
