import { request as httpRequest } from 'node:http'
import { docx } from '@quickquote/dev-servers/docx-samples'
import { HOSTILE_FILES, HOSTILE_MAIN_PARTS, HOSTILE_XML } from '@quickquote/dev-servers/hostile-documents'
import {
  longestTurn,
  MAX_DOCUMENT_TURN_MS,
  MAX_TURN_MS,
  TURNS_ARE_MEASURABLE,
} from '@quickquote/dev-servers/longest-turn'
import { beforeAll, describe, expect, it } from 'vitest'
import { isBefore } from './support/fastify-version.ts'
import { useHost } from './support/host.ts'

const PATH = '/v1/integrations/quotations'
const context = useHost({
  fastify: { routerOptions: { ignoreDuplicateSlashes: true } },
  integrations: { limits: { requestsPerMinute: 1000, startsPerMinute: 1000 } },
})
let key: string

/** A start with a file, encoded before it is measured, and sent in pieces: this process would copy all of it in one turn. */
async function startWith(name: string, content: Uint8Array<ArrayBuffer>, maximumMs = MAX_TURN_MS) {
  const form = new FormData()
  form.append('files', new File([content], name))
  const encoded = new Response(form)
  const headers = { 'Content-Type': encoded.headers.get('content-type') ?? '' }
  const body = await encoded.blob()
  return await longestTurn(() => context.host.call('POST', PATH, { key, headers, body }), maximumMs)
}

/** A GET whose path is sent as it is. */
async function get(path: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    const { hostname, port } = new URL(context.host.url)
    const sent = httpRequest({ hostname, port, path, headers: { 'X-API-Key': key } })
    sent.once('error', reject).once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.end()
  })
}

describe.runIf(TURNS_ARE_MEASURABLE)('no request keeps the event loop longer than 50 ms at once:', () => {
  beforeAll(async () => {
    key = (await context.host.createKey()).key
    // Two quotations, so that the first of them has a next page.
    for (const name of ['a.docx', 'b.docx']) {
      expect((await startWith(name, new Uint8Array(docx()))).result.status).toBe(202)
    }
    expect(await get(`${PATH}?limit=1`)).toBe(200)
  })

  it.each([
    'prefixed elements inside each other',
    'prefixed attributes deep inside',
    'many namespaces',
    'many prefixed attributes',
  ])('a small upload whose content types have %s', async (what) => {
    const content = new Uint8Array(docx([], { contentTypes: HOSTILE_XML[what] ?? '' }))
    expect(content.length).toBeLessThan(300_000)
    const { result, turnMs } = await startWith('a.docx', content)
    expect(result).toMatchObject({ status: 400, body: { errors: [{ pointer: '/files/0' }] } })
    expect(turnMs).toBeLessThan(MAX_TURN_MS)
  })

  it.each(['tiny elements', 'elements inside each other', 'a document type declaration', 'paragraphs'])(
    'a document whose main part has %s, for longer than 20 ms',
    async (what) => {
      const { bytes, isRefused } = HOSTILE_MAIN_PARTS[what] ?? expect.fail(what)
      const content = new Uint8Array(docx([], { mainPart: bytes() }))
      const { result, turnMs } = await startWith('a.docx', content, MAX_DOCUMENT_TURN_MS)
      expect(result.status).toBe(isRefused ? 400 : 202)
      expect(turnMs).toBeLessThan(MAX_DOCUMENT_TURN_MS)
    },
  )

  it('an upload with names that are almost those of macros', async () => {
    const content = HOSTILE_FILES['names that are almost those of macros']?.bytes() ?? Buffer.alloc(0)
    const { result, turnMs } = await startWith('a.docx', new Uint8Array(content))
    expect(result.body['errors']).toEqual([
      { pointer: '/files/0', detail: 'must not contain entries with names of more than 1024 bytes' },
    ])
    expect(turnMs).toBeLessThan(MAX_TURN_MS)
  })

  it.each(['text of four-byte characters', 'a PDF', 'a hundred megabytes, decompressed'])(
    'a large upload that is accepted and stored: %s',
    async (what) => {
      const { name, bytes } = HOSTILE_FILES[what] ?? expect.fail(what)
      const { result, turnMs } = await startWith(name, new Uint8Array(bytes()))
      expect(result.status).toBe(202)
      expect(turnMs).toBeLessThan(MAX_TURN_MS)
    },
  )

  it('four megabytes of numbers that cannot be stored exactly, in a field that is ignored', async () => {
    const numbers = Array(200_000).fill('0.12345678901234567').join()
    const body = `{"requirementsText":"A shop.","unknown":[${numbers}]}`
    const headers = { 'Content-Type': 'application/json' }
    const { result, turnMs } = await longestTurn(() =>
      context.host.call('POST', PATH, { key, headers, body: Buffer.from(body) }),
    )
    expect(result).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('more than 2000 numbers') },
    })
    expect(turnMs).toBeLessThan(MAX_TURN_MS)
  })

  it('a file name of dots, as long as a header may be', async () => {
    const { result, turnMs } = await startWith(`a${'.'.repeat(7800)}b.txt`, new Uint8Array(Buffer.from('x')))
    expect(result.status).toBe(202)
    expect(turnMs).toBeLessThan(MAX_TURN_MS)
  })

  it.skipIf(isBefore(6))('a path of slashes, with ignoreDuplicateSlashes', async () => {
    const { result, turnMs } = await longestTurn(() =>
      get(`/v1${'/'.repeat(15_000)}integrations/quotations?limit=1`),
    )
    expect(result).toBe(200)
    expect(turnMs).toBeLessThan(MAX_TURN_MS)
  })
})
