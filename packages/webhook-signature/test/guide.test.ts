import { readdirSync, readFileSync } from 'node:fs'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { expect, it, onTestFinished } from 'vitest'
import { bodyOf, SECRET, send, signedHeaders } from './support/delivery.ts'
import { runSample, samplesOf } from './support/sample.ts'

const root = new URL('../../../', import.meta.url)
const page = readFileSync(new URL('docs/guides/receiving-webhooks.md', root), 'utf8')
// The rest is tested by packages/delivery-worker/test/standard-webhooks.test.ts.
const [guide = ''] = page.split('## Standard Webhooks')
const sample = samplesOf('../../../docs/guides/receiving-webhooks.md')

it('every block of code is a sample that runs here, and every language links to its file', () => {
  const samples = [...guide.matchAll(/^ *```js (\w+)$/gm)].map(([, name]) => name)
  expect(samples).toEqual(['receiver', 'once', 'test'])
  expect([...guide.matchAll(/^ *```./gm)]).toHaveLength(samples.length)

  // languages.slow.test.ts runs these files.
  const files = readdirSync(new URL('docs/receivers', root), { recursive: true })
    .map(String)
    .filter((path) => /\/(?:verify\.\w+|Webhooks\.java)$/.test(path))
  expect(files).toHaveLength(7)
  for (const file of files) expect(guide).toContain(`](../receivers/${file})`)
})

it("the first receiver accepts the last section's test request", async () => {
  const receiver = runSample(sample('receiver').replace(/await app\.listen\(.*\)/, 'console.log($&)'), {
    PORT: '0',
    WEBHOOK_SECRETS: `${SECRET},whsec_for_tests`,
  })
  const url = (await receiver.line()) ?? ''
  const test = runSample(sample('test').replace('http://localhost:4000', url))
  expect(await test.line()).toBe('204')
  expect(await receiver.line()).toBe('fetch proposal p1')

  const failure = bodyOf('evt_2')
    .replace('quotation.completed', 'quotation.failed')
    .replace('"error_code":null', '"error_code":"MODEL_TIMEOUT"')
  expect((await send(`${url}/hooks/quotes`, await signedHeaders(failure), failure)).status).toBe(204)
  expect(await receiver.line()).toBe('failed in proposal: MODEL_TIMEOUT')
})

it('deduplicates in the transaction: once for concurrent deliveries, and again after a failure', async () => {
  const database = await emptyDatabase()
  onTestFinished(() => database.drop())
  const [one, two] = [bodyOf('evt_1'), bodyOf('evt_2')]
  const deliveries = JSON.stringify([
    { body: one, headers: await signedHeaders(one) },
    { body: two, headers: await signedHeaders(two) },
  ])
  const around = `
    const handled = []
    async function handleEvent({ id }) {
      handled.push(id)
      await new Promise((resolve) => setTimeout(resolve, 50))
      if (id === 'evt_2' && handled.filter((each) => each === id).length === 1) throw new Error('not yet')
    }
    const [one, two] = ${deliveries}
    const post = async ({ body, headers }) =>
      (await handleWebhook(new Request('https://example.com/', { method: 'POST', headers, body }))).status
    const statuses = [
      ...(await Promise.all([post(one), post(one), post(one)])),
      await post(one), await post(two), await post(two), await post(two),
    ]
    console.log(JSON.stringify({ statuses, handled }))
    await sql.end()`
  const program = runSample(sample('once') + around, { WEBHOOK_SECRET: SECRET, DATABASE_URL: database.url })
  const printed = await program.line()
  expect(JSON.parse(printed ?? (await program.stop()))).toEqual({
    statuses: [204, 204, 204, 204, 500, 204, 204],
    handled: ['evt_1', 'evt_2', 'evt_2'],
  })
})
