import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest'
import {
  AuthenticationError,
  ConflictError,
  createClient,
  ForbiddenError,
  NotFoundError,
  type Quotation,
  QuotationFailedError,
  type RequirementsFile,
  ValidationError,
} from '../src/index.ts'
import { DOCUMENT, useHost } from './support/host.ts'

const host = useHost()
const REQUIREMENTS = { requirementsText: 'Customers sign in and see their invoices.' }

describe('A quote, from its start to its document', () => {
  it('is started, waited for, and its webhooks are unwrapped', async () => {
    const { partner, client } = await host().partner()
    const { quotation_id: id, status } = await client.quotations.start({ name: 'Portal', ...REQUIREMENTS })
    expect(status).toBe('queued')
    const waited = client.quotations.waitFor(id)
    await host().kit.deliver()
    await partner.quote(id).complete(undefined, { name: 'Offer', documentId: DOCUMENT })

    const quotation = await waited
    expectTypeOf(quotation).toEqualTypeOf<Quotation>()
    expect(quotation).toMatchObject({ id, name: 'Portal', status: 'completed', source: 'api_key' })
    expect((await client.quotations.pipeline(id)).progress).toEqual({ completed: 5, total: 5 })
    const proposal = await client.proposals.get(id)
    expect((await client.proposals.documentUrl(proposal.id)).url).toBe(
      `https://files.example.com/${DOCUMENT}`,
    )

    await host().kit.deliver()
    const { headers, rawBody } = partner.requests.at(-1) ?? expect.fail('no webhook came')
    const request = new Request('https://partner.example/hook', {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: new Uint8Array(rawBody),
    })
    const { secret } = partner
    const event = await client.webhooks.unwrap(request, { secret })
    expect(event).toMatchObject({ type: 'quotation.completed', data: { quotation_id: id } })
    expect(await client.webhooks.unwrap({ headers, body: rawBody }, { secret })).toEqual(event)
    await expect(
      client.webhooks.unwrap({ headers, body: rawBody }, { secret: 'whsec_another' }),
    ).rejects.toMatchObject({ code: 'SIGNATURE_MISMATCH' })
    const unset = process.env['UNSET_SECRET']
    await expect(client.webhooks.unwrap({ headers, body: rawBody }, { secret: unset })).rejects.toThrow(
      'Is its environment variable set?',
    )
  })

  it('is waited for with few requests, however many steps it has', async () => {
    const paths: string[] = []
    const { partner, client } = await host().partner({
      fetch(...request) {
        paths.push(new URL((request[0] as Request).url).search)
        return fetch(...request)
      },
    })
    const { quotation_id: id } = await client.quotations.start(REQUIREMENTS)
    await host().kit.deliver()
    paths.length = 0
    const waited = client.quotations.waitFor(id)
    await expect.poll(() => paths.length).toBe(1)
    await partner.quote(id).complete()
    expect((await waited).status).toBe('completed')
    expect(paths).toEqual(['?wait=20&until=end'])
  })

  it('that failed rejects with its error code and summary', async () => {
    const { partner, client } = await host().partner()
    const { quotation_id: id } = await client.quotations.start(REQUIREMENTS)
    await partner.quote(id).fail({ errorCode: 'MODEL_TIMEOUT' })
    const error = await client.quotations.waitFor(id).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(QuotationFailedError)
    expect(error).toMatchObject({ errorCode: 'MODEL_TIMEOUT', quotation: { id, status: 'failed' } })
  })

  it('is cancelled, as often as asked, unless it ended otherwise', async () => {
    const { partner, client } = await host().partner()
    const { quotation_id: id } = await client.quotations.start(REQUIREMENTS)
    const waited = client.quotations.waitFor(id).catch((thrown) => thrown)
    expect(await client.quotations.cancel(id)).toMatchObject({
      id,
      status: 'failed',
      error_code: 'CANCELLED',
    })
    expect(await client.quotations.cancel(id)).toMatchObject({ id, error_code: 'CANCELLED' })
    expect(await waited).toMatchObject({ name: 'QuotationFailedError', errorCode: 'CANCELLED' })
    const { quotation_id: other } = await client.quotations.start(REQUIREMENTS)
    await partner.quote(other).fail()
    const error = await client.quotations.cancel(other).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({ status: 409, code: 'QUOTATION_ENDED' })
  })

  it('is not started twice if the response to its start is lost', async () => {
    const { partner, client } = await host().partner({
      async fetch(...request) {
        const answer = await fetch(...request)
        if (answer.headers.get('Idempotency-Replayed') === null) throw new TypeError('terminated')
        return answer
      },
    })
    const { quotation_id: id } = await client.quotations.start(REQUIREMENTS)
    await host().kit.deliver()
    const started = host().started.filter((quote) => quote.organization_id === partner.organizationId)
    expect(started.map((quote) => quote.id)).toEqual([id])
  })
})

describe('Files of a start', () => {
  async function received(files: readonly RequirementsFile[]) {
    const { partner, client } = await host().partner()
    const fields = { name: 'Portal', metadata: { deal: 'D-1042' }, description: null }
    const { quotation_id: id } = await client.quotations.start({ ...fields, files })
    await host().kit.deliver()
    const quote = host().started.find((each) => each.id === id) ?? expect.fail('not handed over')
    expect(quote).toMatchObject({ name: 'Portal', metadata: { deal: 'D-1042' }, description: '' })
    expect(quote.organization_id).toBe(partner.organizationId)
    const contents = []
    for (const file of quote.files) {
      const stored = { id: file.id, organization_id: quote.organization_id }
      contents.push([file.name, await text(host().integrations.requirementsFiles.read(stored))])
    }
    return contents
  }

  it('come from paths', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'requirements.md')
    await writeFile(path, '# Portal')
    expect(await received([path])).toEqual([['requirements.md', '# Portal']])
  })

  it('come from files, blobs, bytes and streams', async () => {
    const bytes = new TextEncoder().encode('# Portal')
    async function* chunks() {
      yield bytes.slice(0, 3)
      yield bytes.slice(3)
    }
    const contents = [new Blob([bytes]), bytes, bytes.buffer, new Blob([bytes]).stream(), chunks()]
    for (const content of contents) {
      expect(await received([{ name: 'a.md', content }])).toEqual([['a.md', '# Portal']])
    }
    expect(await received([new File([bytes], 'a.md'), { name: 'b.txt', content: bytes }])).toEqual([
      ['a.md', '# Portal'],
      ['b.txt', '# Portal'],
    ])
  })

  it('are refused by name if they are not files', async () => {
    const { client } = await host().partner()
    for (const wrong of [42, null, {}, { name: 'a.md' }, { content: new Blob([]) }]) {
      const start = client.quotations.start({ files: [wrong as unknown as RequirementsFile] })
      await expect(start).rejects.toThrow('files[0] must be a path, a File, or { name, content }')
    }
    await expect(client.quotations.start({ files: ['/nowhere/a.md'] })).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })
})

describe('A refusal', () => {
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => Promise.reject(new Error('was taken')),
      (error) => error,
    )

  it('has the class of its code, the problem, and the request id', async () => {
    const { client } = await host().partner()
    const error = await refusal(client.quotations.start({ name: 'Portal' }))
    expect(error).toBeInstanceOf(ValidationError)
    expect(error).toMatchObject({
      name: 'ValidationError',
      status: 400,
      code: 'VALIDATION_FAILED',
      detail: expect.stringContaining('/requirementsText'),
      errors: [{ pointer: '/requirementsText', detail: expect.any(String) }],
      requestId: expect.any(String),
      retryAfterMs: null,
    })
  })

  it('of a key, an id, and an idempotency key', async () => {
    const { client } = await host().partner()
    const stranger = (await host().partner()).client
    const unknown = createClient({ baseUrl: host().url, apiKey: 'pk_unknown' })
    const { quotation_id: id } = await client.quotations.start(REQUIREMENTS, { idempotencyKey: 'deal' })

    expect(await refusal(unknown.quotations.get(id))).toBeInstanceOf(AuthenticationError)
    expect(await refusal(stranger.quotations.get(id))).toBeInstanceOf(ForbiddenError)
    expect(await refusal(client.quotations.get(randomUUID()))).toBeInstanceOf(NotFoundError)
    expect(await refusal(client.proposals.get(id))).toMatchObject({ code: 'PROPOSAL_NOT_FOUND' })
    const other = { requirementsText: 'Something else' }
    const reused = await refusal(client.quotations.start(other, { idempotencyKey: 'deal' }))
    expect(reused).toBeInstanceOf(ConflictError)
    expect(reused).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' })
    const again = await client.quotations.start(REQUIREMENTS, { idempotencyKey: 'deal' })
    expect(again.quotation_id).toBe(id)
  })
})
