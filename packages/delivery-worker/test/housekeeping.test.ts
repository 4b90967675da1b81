import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Host, ORGANIZATION, openHost } from './host.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let host: Host

beforeEach(async () => {
  host = await openHost()
})

afterEach(() => host.close())

/** Moves everything that was written of a quotation into the past. */
const ageQuotation = (id: string, ms: number) =>
  host.sql`update quickquote.quotations set updated_at = now() - ${`${ms} milliseconds`}::interval where id = ${id}`

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const receive = (name: string) =>
  host.integrations.requirementsFiles.receive({
    organizationId: ORGANIZATION,
    index: 0,
    name,
    bytes: bytesOf('A roof.'),
  })

it('a run that nothing was heard of for 24 hours fails with PIPELINE_TIMEOUT, and quotation.failed goes out', async () => {
  const [silent, heard, ended] = [await host.finishStep(), await host.finishStep(), await host.finishStep()]
  await host.integrations.pipeline(ended).failed({ errorCode: 'MODEL_DOWN' })
  await ageQuotation(silent, DAY_MS + 1000)
  await ageQuotation(heard, DAY_MS - 60_000)
  await ageQuotation(ended, DAY_MS + 1000)

  await host.createWorker().start()

  const get = (id: string) => host.integrations.quotations.get(ORGANIZATION, id)
  await expect.poll(() => get(silent)).toMatchObject({ status: 'failed', error_code: 'PIPELINE_TIMEOUT' })
  expect(await get(heard)).toMatchObject({ status: 'running' })
  expect(await get(ended)).toMatchObject({ error_code: 'MODEL_DOWN' })
  expect(
    await host.sql`select quotation_id from quickquote.events where type = 'quotation.failed' and quotation_id = ${silent}`,
  ).toHaveLength(1)
})

it('files that were uploaded an hour ago and belong to no quote are removed, and no others', async () => {
  const [abandoned, fresh, taken] = [await receive('a.txt'), await receive('b.txt'), await receive('c.txt')]
  await host.integrations.quotations.start({
    organizationId: ORGANIZATION,
    source: 'ui',
    body: {},
    files: [taken],
  })
  await host.sql`update quickquote.uploads set created_at = now() - interval '61 minutes' where id = ${abandoned.id}`

  await host.createWorker().start()

  const files = () => host.sql`select distinct file_id from quickquote.file_chunks order by 1`
  await expect.poll(files).toEqual([fresh.id, taken.id].sort().map((file_id) => ({ file_id })))
})

it('idempotency keys are forgotten after 24 hours', async () => {
  for (const [key, hours] of [
    ['old', 25],
    ['new', 23],
  ] as const) {
    const id = await host.startQuote()
    await host.sql`insert into quickquote.idempotency_keys (organization_id, key, request_hash, quotation_id, created_at)
      values (${randomUUID()}, ${key}, '', ${id}, now() - ${hours}::int * interval '1 hour')`
  }

  await host.createWorker().start()

  await expect.poll(() => host.sql`select key from quickquote.idempotency_keys`).toEqual([{ key: 'new' }])
})

it('the pipeline reads the files of its quote, as they were uploaded', async () => {
  await host.close()
  const contents: string[] = []
  host = await openHost({
    async startPipeline(quote, { readFile }) {
      for (const file of quote.files) {
        const chunks: Uint8Array[] = []
        for await (const chunk of readFile(file)) chunks.push(chunk)
        contents.push(`${file.name} ${file.type} ${file.size}: ${Buffer.concat(chunks)}`)
      }
    },
  })
  const file = await receive('roof.md')
  await host.integrations.quotations.start({
    organizationId: ORGANIZATION,
    source: 'ui',
    body: {},
    files: [file],
  })

  await host.createWorker().start()

  await expect.poll(() => contents).toEqual(['roof.md md 7: A roof.'])
})
