import { readFileSync } from 'node:fs'
import { WEBHOOK_VERIFICATION_ERROR_CODES } from '@quickquote/webhook-signature'
import { describe, expect, it } from 'vitest'
import { bodyOf, SECRET, send, signedHeaders } from './support/delivery.ts'
import { runSample, samplesOf } from './support/sample.ts'

const sample = samplesOf('../README.md')
const body = bodyOf('evt_1')
const tampered = body.replace('completed', 'failed')

describe.each([
  { name: 'fastify', printed: 'proposal c0ffee00-1234-4abc-8def-0123456789ab is ready' },
  { name: 'express', printed: '{' },
  { name: 'node', printed: 'quotation.completed evt_1' },
])('the sample "$name"', ({ name, printed }) => {
  it('accepts a signed delivery, and refuses a tampered one', async () => {
    const server = runSample(sample(name), { PORT: '0', WEBHOOK_SECRET: SECRET, NODE_ENV: 'test' })
    const port = (await server.line())?.replace(/.*:/, '')
    const url = `http://localhost:${port}/hooks/quotes`

    expect((await send(url, await signedHeaders(body), tampered)).status).toBe(401)
    expect((await send(url, await signedHeaders(body), body)).status).toBe(204)
    expect(await server.line()).toBe(printed)
    expect(await server.stop()).toBe(name === 'node' ? 'refused: SIGNATURE_MISMATCH\n' : '')
  })
})

it.each(['fastify', 'express', 'fetch'])('the sample "%s" does not start without a secret', async (name) => {
  const server = runSample(sample(name), { PORT: '0', WEBHOOK_SECRET: '' })
  expect(await server.line()).toBeUndefined()
  expect(await server.stop()).toContain('TypeError: The signing secret is missing or empty')
})

it('the Node sample without a secret responds with 500, so that the delivery is sent again', async () => {
  const server = runSample(sample('node'), { PORT: '0', WEBHOOK_SECRET: '' })
  const url = `http://localhost:${await server.line()}/`
  expect((await send(url, await signedHeaders(body), body)).status).toBe(500)
})

it('the fetch sample accepts a signed delivery, and refuses a tampered one', async () => {
  const headers = JSON.stringify(await signedHeaders(body))
  const calls = `
    for (const body of ${JSON.stringify([tampered, body])}) {
      const request = new Request('https://example.com/', { method: 'POST', headers: ${headers}, body })
      const response = await handleWebhook(request)
      console.log(response.status, await response.text())
    }`
  const program = runSample(sample('fetch') + calls, { WEBHOOK_SECRET: SECRET })
  expect(await program.line()).toBe('401 SIGNATURE_MISMATCH')
  expect(await program.line()).toBe('{')
})

it('lists exactly the existing error codes', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const listed = [...readme.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, code]) => code)
  expect(listed.toSorted()).toEqual([...WEBHOOK_VERIFICATION_ERROR_CODES].toSorted())
})
