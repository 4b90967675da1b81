import { docx } from '@quickquote/dev-servers/docx-samples'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ACME, GLOBEX, useHost } from './support/host.ts'

const PATH = '/v1/integrations/quotations'
const MIB = 1024 * 1024
const PDF = '%PDF-1.7\n1 0 obj\n%%EOF'

const context = useHost({ integrations: { limits: { startsPerMinute: 12, requestsPerMinute: 1000 } } })
let key: string

beforeAll(async () => {
  key = (await context.host.createKey()).key
})

interface SentFile {
  readonly name: string
  readonly content: string | Uint8Array<ArrayBuffer>
}

async function start(files: readonly SentFile[], fields: Record<string, string> = {}, apiKey = key) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const { name, content } of files) form.append('files', new File([content], name))
  const encoded = new Response(form)
  return context.host.call('POST', PATH, {
    key: apiKey,
    headers: { 'Content-Type': encoded.headers.get('content-type') ?? '' },
    body: new Uint8Array(await encoded.arrayBuffer()),
  })
}

/** The row count of every table that a start may write. */
async function rows() {
  const [counts] = await context.sql`
    select (select count(*)::int from quickquote.quotations) as quotations,
      (select count(*)::int from quickquote.quotation_files) as quotation_files,
      (select count(*)::int from quickquote.pipeline_starts) as orders,
      (select count(*)::int from quickquote.uploads) as uploads,
      (select count(*)::int from quickquote.file_chunks) as chunks`
  return counts
}

describe('POST /v1/integrations/quotations, multipart', () => {
  it('accepts up to five files of the types docx, pdf, txt and md, without requirementsText', async () => {
    const files = [
      { name: 'a.docx', content: new Uint8Array(docx()) },
      { name: 'b.pdf', content: PDF },
      { name: 'c.txt', content: 'Text' },
      { name: 'd.md', content: '# Text' },
      { name: 'E.MD', content: '# More' },
    ]
    const { status, body } = await start(files, { name: 'Portal', metadata: '{"deal":1}' })

    expect(status).toBe(202)
    expect(
      await context.sql`select name, type from quickquote.quotation_files
        where quotation_id = ${String(body['quotation_id'])} order by position`,
    ).toEqual(files.map(({ name }) => ({ name, type: name.split('.')[1]?.toLowerCase() })))
    expect(
      await context.sql`select organization_id, source, requirements_text, metadata from quickquote.quotations
        where id = ${String(body['quotation_id'])}`,
    ).toEqual([{ organization_id: ACME, source: 'api_key', requirements_text: null, metadata: { deal: 1 } }])
    expect(await rows()).toMatchObject({ uploads: 0 })
  })

  it('ignores an organization in the form', async () => {
    const { status, body } = await start([{ name: 'a.txt', content: 'Text' }], { organization_id: GLOBEX })
    expect(status).toBe(202)
    const [row] = await context.sql`
      select organization_id from quickquote.quotations where id = ${String(body['quotation_id'])}`
    expect(row).toEqual({ organization_id: ACME })
  })
})

describe('a multipart start that is refused leaves nothing behind:', () => {
  let before: Awaited<ReturnType<typeof rows>>

  beforeEach(async () => {
    // A new key for each refusal, so that the rate limit does not matter.
    key = (await context.host.createKey()).key
    before = await rows()
  })

  afterEach(async () => {
    expect(await rows()).toEqual(before)
  })

  const good = { name: 'good.txt', content: 'Text' }

  it.each<[string, SentFile[], Record<string, string>, number, string]>([
    ['an exe called .pdf', [good, { name: 'a.pdf', content: 'MZ\x90\0' }], {}, 400, '/files/1'],
    [
      'a zip without a document called .docx',
      [{ name: 'a.docx', content: 'PK\x03\x04' }],
      {},
      400,
      '/files/0',
    ],
    ['a type that is not allowed', [good, { name: 'a.exe', content: 'MZ' }], {}, 400, '/files/1'],
    [
      'text that is not UTF-8',
      [{ name: 'a.txt', content: new Uint8Array([0xff, 0xfe]) }],
      {},
      400,
      '/files/0',
    ],
    ['an empty file', [good, { name: 'a.md', content: '' }], {}, 400, '/files/1'],
    ['six files', Array.from({ length: 6 }, () => good), {}, 400, '/files/5'],
    ['11 MiB', [good, { name: 'a.txt', content: 'x'.repeat(11 * MIB) }], {}, 413, '/files/1'],
    ['a name that is too long, with a good file', [good], { name: 'x'.repeat(201) }, 400, '/name'],
    ['metadata that is not JSON', [good], { metadata: '{' }, 400, '/metadata'],
    ['metadata over its limit', [good], { metadata: `{"a":"${'x'.repeat(17_000)}"}` }, 400, '/metadata'],
    ['neither text nor file', [], { name: 'Portal', requirementsText: '  ' }, 400, '/requirementsText'],
  ])('%s', async (_, files, fields, expected, pointer) => {
    const { status, body } = await start(files, fields)
    expect(status).toBe(expected)
    expect(body).toMatchObject({ errors: [{ pointer }] })
  })

  it('a wrong key: 401, before anything is read', async () => {
    const wrong = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')
    expect((await start([good], {}, wrong)).status).toBe(401)
  })
})

it('the limit of starts is counted for multipart and JSON together', async () => {
  const { key: own } = await context.host.createKey()
  const json = { requirementsText: 'A portal.' }
  const statuses: number[] = []
  for (let n = 0; n < 7; n += 1) {
    statuses.push((await start([{ name: 'a.txt', content: 'Text' }], {}, own)).status)
    statuses.push((await context.host.call('POST', PATH, { key: own, json })).status)
  }
  expect(statuses).toEqual([...Array(12).fill(202), 429, 429])
})
