import { randomBytes, randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import multipart from '@fastify/multipart'
import { DEFAULT_LIMITS, IntegrationError, type Limits, type Logger } from '@quickquote/core'
import { docx } from '@quickquote/dev-servers/docx-samples'
import { openIntegrations } from '@quickquote/dev-servers/vitest'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formBytes, isMultipart, receiveMultipart, takeMultipart } from '../src/bodies/multipart.ts'
import type { MinDataRate } from '../src/bodies/read-body.ts'
import { dropUnreadBodies } from '../src/bodies/unread-body.ts'

const ORGANIZATION = randomUUID()
const PDF = Buffer.from('%PDF-1.7\n1 0 obj\n%%EOF')
const MIB = 1024 * 1024

/** No test may cause a warning or an error unnoticed. */
const failingLogger: Logger = {
  debug() {},
  info() {},
  warn(fields) {
    throw new Error('a warning', { cause: fields })
  },
  error(fields) {
    throw new Error('an error', { cause: fields })
  },
}

const { integrations, sql } = await openIntegrations({ logger: failingLogger, closeAfter: afterAll })

let app: FastifyInstance
let url: string
let forms: Awaited<ReturnType<typeof receiveMultipart>>[]

beforeEach(async () => {
  await sql`truncate quickquote.file_chunks, quickquote.uploads`
  forms = []
})

afterEach(async () => {
  await app.close()
})

async function serve(options: { limits?: Partial<Limits>; minDataRate?: MinDataRate } = {}) {
  app = Fastify()
  takeMultipart(app)
  dropUnreadBodies(app, formBytes({ ...DEFAULT_LIMITS, ...options.limits }))
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof IntegrationError)) return reply.code(500).send({ detail: String(error) })
    return reply.code(error.status).send({ code: error.code, detail: error.message, errors: error.errors })
  })
  app.post('/start', async (request, reply) => {
    if (!isMultipart(request)) return { body: request.body }
    const form = await receiveMultipart(request, {
      organizationId: ORGANIZATION,
      requirementsFiles: integrations.requirementsFiles,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      ...(options.minDataRate === undefined ? {} : { minDataRate: options.minDataRate }),
    })
    forms.push(form)
    return reply.code(202).send(form)
  })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
}

interface Answer {
  readonly status: number
  readonly body: { code?: string; detail?: string; errors?: unknown[]; files?: unknown[] }
}

async function post(form: FormData): Promise<Answer> {
  const response = await fetch(`${url}/start`, { method: 'POST', body: form })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

function formOf(
  fields: Record<string, string>,
  files: readonly (readonly [name: string, bytes: Uint8Array])[] = [],
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, bytes] of files) form.append('files', new Blob([new Uint8Array(bytes)]), name)
  return form
}

/** The files in the database that belong to no quote yet. */
async function left() {
  const [row] = await sql`select (select count(*)::int from quickquote.file_chunks) as chunks,
    (select count(*)::int from quickquote.uploads) as uploads`
  return row
}
const NOTHING = { chunks: 0, uploads: 0 }

const BOUNDARY = 'boundary-of-the-test'

/** A part as sent over the wire. */
function part(headers: string | Buffer, content: string | Buffer = ''): Buffer {
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n`),
    Buffer.from(headers),
    Buffer.from('\r\n\r\n'),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
}
const END = Buffer.from(`--${BOUNDARY}--\r\n`)

const field = (name: string, value: string | Buffer) =>
  part(`Content-Disposition: form-data; name="${name}"`, value)
const file = (fileName: string, content: string | Buffer) =>
  part(`Content-Disposition: form-data; name="files"; filename="${fileName}"`, content)

/** Sends these bytes as the body, and does not disconnect before or after the response. */
async function send(
  body: Buffer | readonly Buffer[],
  options: { contentType?: string; contentLength?: number; chunked?: boolean } = {},
): Promise<Answer & { connection: string | undefined }> {
  const { socket, answer } = open()
  const bytes = [body].flat()
  const length = options.contentLength ?? bytes.reduce((sum, each) => sum + each.length, 0)
  socket.write(head(options.contentType, length))
  for (const each of bytes) socket.write(each)
  try {
    return await answer
  } finally {
    socket.destroy()
  }
}

function head(contentType = `multipart/form-data; boundary=${BOUNDARY}`, length: number): string {
  return `POST /start HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}\r\n\r\n`
}

/** A connection, and its first response. */
function open(): { socket: Socket; answer: Promise<Answer & { connection: string | undefined }> } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const answer = new Promise<Answer & { connection: string | undefined }>((resolve, reject) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      const [header = '', body] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(header)?.[1])
      if (body === undefined || Buffer.byteLength(body) < length) return
      resolve({
        status: Number(header.split(' ')[1]),
        body: JSON.parse(body),
        connection: /^connection: (.*)$/im.exec(header)?.[1],
      })
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('closed without an answer')))
  })
  answer.catch(() => {})
  return { socket, answer }
}

const refused = (detail: unknown, pointer: string) => ({
  status: 400,
  body: expect.objectContaining({ code: 'VALIDATION_FAILED', errors: [{ pointer, detail }] }),
})
const malformed = (detail: string | RegExp) => ({
  status: 400,
  body: expect.objectContaining({ code: 'MALFORMED_REQUEST', detail: expect.stringMatching(detail) }),
})

describe('a multipart start', () => {
  beforeEach(() => serve())

  it('has the fields of the JSON body, and its files are stored', async () => {
    const document = docx()
    const answer = await post(
      formOf(
        {
          name: 'Portal – 日本 🙂',
          description: '',
          config_id: '0d9c8b7a-6f5e-4d4c-9b3a-2f1e0d9c8b7a',
          requirementsText: 'Customers sign in.\r\nThey see invoices.',
          metadata: '{"deal":"D-1042","nested":{"a":[1,null]}}',
        },
        [
          ['plan.docx', document],
          ['plan.pdf', PDF],
          ['Grüße.txt', Buffer.from('Grüße')],
          ['notes.md', Buffer.from('# Notes')],
          ['more.md', Buffer.from('# More')],
        ],
      ),
    )
    expect(answer.status).toBe(202)
    expect(forms[0]?.body).toEqual({
      name: 'Portal – 日本 🙂',
      description: '',
      config_id: '0d9c8b7a-6f5e-4d4c-9b3a-2f1e0d9c8b7a',
      requirementsText: 'Customers sign in.\nThey see invoices.',
      metadata: { deal: 'D-1042', nested: { a: [1, null] } },
    })
    expect(forms[0]?.files).toMatchObject([
      { name: 'plan.docx', type: 'docx', size: document.length },
      { name: 'plan.pdf', type: 'pdf', size: PDF.length },
      { name: 'Grüße.txt', type: 'txt', size: 7 },
      { name: 'notes.md', type: 'md', size: 7 },
      { name: 'more.md', type: 'md', size: 6 },
    ])
    const [first] = forms[0]?.files ?? []
    const stored = integrations.storage.files.get({ id: first?.id ?? '', organization_id: ORGANIZATION })
    expect((await buffer(stored)).equals(document)).toBe(true)
    expect(await left()).toEqual({ chunks: 5, uploads: 5 })
  })

  it('may have its parts in any order', async () => {
    const answer = await send([
      file('a.txt', 'a'),
      field('name', 'A'),
      file('b.txt', 'b'),
      field('metadata', '{}'),
      END,
    ])
    expect(answer.status).toBe(202)
    expect(forms[0]).toMatchObject({
      body: { name: 'A', metadata: {} },
      files: [{ name: 'a.txt' }, { name: 'b.txt' }],
    })
  })

  it('accepts five files of 10 MiB, complete', async () => {
    const bytes = Buffer.alloc(10 * MIB, 'a')
    const answer = await post(formOf({}, Array(5).fill(['a.txt', bytes])))
    expect(answer.status).toBe(202)
    expect(forms[0]?.files.map(({ size }) => size)).toEqual(Array(5).fill(10 * MIB))
    expect(await left()).toEqual({ chunks: 5 * Math.ceil((10 * 1024) / 90), uploads: 5 })
  })

  it('may come byte by byte', async () => {
    const body = Buffer.concat([field('name', 'Grüße'), file('a.txt', 'Grüße'), END])
    const answer = await send([...body].map((byte) => Buffer.from([byte])))
    expect(answer.status).toBe(202)
    expect(forms[0]).toMatchObject({ body: { name: 'Grüße' }, files: [{ size: 7 }] })
  })

  it('may have a preamble, an epilogue, and a reused connection', async () => {
    const { socket, answer } = open()
    const body = Buffer.concat([
      Buffer.from('preamble\r\n'),
      field('name', 'A'),
      END,
      Buffer.from('epilogue'.repeat(1000)),
    ])
    socket.write(Buffer.concat([Buffer.from(head(undefined, body.length)), body]))
    expect(await answer).toMatchObject({ status: 202, connection: 'keep-alive' })
    socket.destroy()
  })

  it('may have its known fields sent as files, which is how browsers send a Blob', async () => {
    const form = new FormData()
    form.append('metadata', new Blob(['{"a":1}'], { type: 'application/json' }))
    expect((await post(form)).status).toBe(202)
    expect(forms[0]?.body).toEqual({ metadata: { a: 1 } })
  })

  it('treats an empty metadata, an empty config_id, and an unchosen file as absent', async () => {
    const answer = await send([
      field('metadata', ''),
      field('config_id', ''),
      file('', ''),
      field('files', ''),
      END,
    ])
    expect(answer.status).toBe(202)
    expect(forms[0]).toEqual({ body: { metadata: null, config_id: null }, files: [] })
  })

  it('ignores unknown text fields, whatever their names', async () => {
    const unknown = ['organization_id', '__proto__', 'constructor', 'toString', 'organization_id']
    const answer = await send([...unknown.map((name) => field(name, 'x')), field('name', 'A'), END])
    expect(answer.status).toBe(202)
    expect(forms[0]?.body).toEqual({ name: 'A' })
    expect(Object.keys(forms[0]?.body ?? {})).toEqual(['name'])
  })

  it('may be empty: the start reports what is missing', async () => {
    expect((await send(END)).status).toBe(202)
    expect(forms[0]).toEqual({ body: {}, files: [] })
  })

  it.each([
    ['curl', 'form-data; name="files"; filename="a.txt"', 'a.txt'],
    ['.NET', "form-data; name=files; filename=a.txt; filename*=utf-8''Gr%C3%BC%C3%9Fe.txt", 'Grüße.txt'],
    ['no space', 'form-data;name=files;filename=a b.txt;', 'a b.txt'],
    ['escapes', 'form-data; name="files"; filename="a\\"b\\\\c.txt"', 'a_b_c.txt'],
    [
      'another charset',
      'form-data; name="files"; filename="a.txt"; filename*=iso-8859-1\'\'%FC.txt',
      'ü.txt',
    ],
    ['upper case', 'FORM-DATA; NAME="files"; FILENAME="a.txt"', 'a.txt'],
  ])('accepts the syntax of real clients: %s', async (_who, disposition, name) => {
    const answer = await send([part(`Content-Disposition: ${disposition}`, 'x'), END])
    expect(answer.status).toBe(202)
    expect(forms[0]?.files).toMatchObject([{ name }])
  })

  it.each([
    ['with ..', '../../../etc/passwd.txt', 'passwd.txt'],
    ['of Windows', 'C:\\Users\\me\\plan.txt', 'plan.txt'],
    ['with NUL', 'a\0b.txt', 'ab.txt'],
    ['with an encoded line end', 'a%0D%0Ab.txt', 'a%0D%0Ab.txt'],
    ['with right-to-left marks', 'invoice\u202Etxt.txt', 'invoicetxt.txt'],
    ['of 300 characters', `${'a'.repeat(296)}.txt`, `${'a'.repeat(196)}.txt`],
    ['of 300 characters of Chinese', `${'漢'.repeat(296)}.txt`, `${'漢'.repeat(83)}.txt`],
  ])('gets safe file names: %s', async (_what, given, name) => {
    expect((await send([file(given, 'x'), END])).status).toBe(202)
    expect(forms[0]?.files).toMatchObject([{ name }])
  })

  it('neutralizes a line end in an extended file name', async () => {
    const disposition = `form-data; name="files"; filename*=UTF-8''a%0D%0AX-Evil%3A%201%00%E2%80%AE.txt`
    expect((await send([part(`Content-Disposition: ${disposition}`, 'x'), END])).status).toBe(202)
    expect(forms[0]?.files).toMatchObject([{ name: 'aX-Evil_ 1.txt' }])
  })
})

describe('refused as a multipart start, with nothing left behind:', () => {
  beforeEach(() => serve())
  afterEach(async () => {
    expect(forms).toEqual([])
    expect(await left()).toEqual(NOTHING)
  })

  it('a file of 0 bytes', async () => {
    expect(await send([file('a.txt', ''), END])).toMatchObject(refused('must not be empty', '/files/0'))
  })

  it('a sixth file, after five that were stored', async () => {
    const answer = await send([...Array(6).fill(file('a.txt', 'x')), END])
    expect(answer).toMatchObject(refused('is one file too many: a quotation has at most 5 files', '/files/5'))
  })

  it('a file of 11 MiB, with 413', async () => {
    const answer = await post(
      formOf({}, [
        ['a.txt', Buffer.from('x')],
        ['b.txt', Buffer.alloc(11 * MIB, 'a')],
      ]),
    )
    expect(answer).toMatchObject({
      status: 413,
      body: {
        code: 'PAYLOAD_TOO_LARGE',
        errors: [{ pointer: '/files/1', detail: 'must have at most 10485760 bytes' }],
      },
    })
  })

  it.each([
    [
      'an exe called .pdf',
      'a.pdf',
      Buffer.concat([Buffer.from('MZ'), randomBytes(300_000)]),
      'must be a PDF document, with %PDF- in its first 1024 bytes',
    ],
    [
      'a zip called .docx',
      'a.docx',
      Buffer.from('PK\x03\x04 nothing'),
      expect.stringMatching(/^must be complete: the end of its zip is missing/),
    ],
    [
      'text that is not UTF-8',
      'a.txt',
      Buffer.from('Grüße', 'latin1'),
      'must be UTF-8 text, and looks like an 8-bit charset such as Windows-1252: save it as UTF-8',
    ],
    [
      'a docx bomb',
      'a.docx',
      docx([{ name: 'word/a.xml', data: Buffer.alloc(51 * MIB) }]),
      'must decompress to at most 100 MiB, and above 50 MiB to at most 100 times its size',
    ],
    [
      'a docx with macros',
      'a.docx',
      docx([{ name: 'word/vbaProject.bin' }]),
      expect.stringMatching(/^must not contain macros/),
    ],
    [
      'a type that is not allowed',
      'a.exe',
      Buffer.from('x'),
      'must be of one of the types docx, pdf, txt, md',
    ],
  ])('%s', async (_what, name, bytes, detail) => {
    const answer = await post(
      formOf({ name: 'A' }, [
        ['first.txt', Buffer.from('x')],
        [name, bytes],
      ]),
    )
    expect(answer).toMatchObject(refused(detail, '/files/1'))
  })

  it.each([
    ['no boundary', 'multipart/form-data'],
    ['an empty boundary', 'multipart/form-data; boundary='],
    ['a boundary that is too long', `multipart/form-data; boundary=${'b'.repeat(71)}`],
  ])('%s', async (_what, contentType) => {
    expect(await send([field('name', 'A'), END], { contentType })).toMatchObject(
      malformed('needs a boundary'),
    )
  })

  it('a boundary other than that of the body', async () => {
    const contentType = 'multipart/form-data; boundary=other'
    expect(await send([file('a.txt', 'x'), END], { contentType })).toMatchObject(
      malformed('ends before its last boundary'),
    )
  })

  it.each([
    [
      'in the middle of a file',
      Buffer.concat([file('a.txt', 'first'), file('b.txt', 'x'.repeat(700_000)).subarray(0, -100)]),
    ],
    [
      'in the middle of a header',
      Buffer.concat([file('a.txt', 'first'), file('b.txt', 'x').subarray(0, 60)]),
    ],
    ['in the middle of a field', Buffer.concat([file('a.txt', 'first'), field('name', 'A').subarray(0, -2)])],
    ['before the last boundary', file('a.txt', 'first')],
    ['in the last boundary', Buffer.concat([file('a.txt', 'first'), END.subarray(0, -4)])],
    ['before any part', Buffer.alloc(1)],
  ])('a body cut off %s', async (_where, body) => {
    expect(await send(body)).toMatchObject(malformed('ends before its last boundary'))
  })

  describe("a boundary inside a part's header", () => {
    // A part's header, without the empty line that ends it.
    const headerOnly = file('b.txt', '').subarray(0, -4)

    it('before another part, at once: the rest of the body is not waited for', async () => {
      const sent = [file('a.txt', 'x'), headerOnly, field('name', 'A')]
      expect(await send(sent, { contentLength: 10_000 })).toMatchObject(
        malformed('no valid Content-Disposition'),
      )
    })

    it('at the end of the body', async () => {
      const sent = [file('a.txt', 'x'), headerOnly, END]
      expect(await send(sent)).toMatchObject(malformed('no valid Content-Disposition'))
    })
  })

  it('1,000 fields', async () => {
    const fields = Array.from({ length: 1000 }, (_, index) => field(`field${index}`, 'x'))
    expect(await send([file('a.txt', 'x'), ...fields, END])).toMatchObject(malformed('at most 105 parts'))
  })

  it('fields that are too large together, with 413', async () => {
    const half = 'x'.repeat(DEFAULT_LIMITS.jsonBodyBytes / 2 + 1)
    const answer = await send([file('a.txt', 'x'), field('name', half), field('unknown', half), END])
    expect(answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } })
  })

  it('a body that is too large, with 413, before it is read', async () => {
    const answer = await send(file('a.txt', 'x'), { contentLength: 1024 * MIB })
    expect(answer).toMatchObject({ status: 413, connection: 'close' })
  })

  it('a body that is too large, with 413, without a declared length or a part', async () => {
    const { socket, answer } = open()
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 'a'), Buffer.from('\r\n')])
    socket.write(head(undefined, 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked'))
    const allowed = 5 * DEFAULT_LIMITS.fileBytes + DEFAULT_LIMITS.jsonBodyBytes
    for (let sent = 0; sent < 1.1 * allowed; sent += MIB) socket.write(chunk)
    expect(await answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } })
    socket.destroy()
  })

  it.each([
    ['name', [field('name', 'A'), field('name', 'B')]],
    ['metadata', [field('metadata', '{}'), field('metadata', '{}')]],
  ])('a field that is sent twice: %s', async (name, fields) => {
    expect(await send([file('a.txt', 'x'), ...fields, END])).toMatchObject(
      refused('must be sent only once', `/${name}`),
    )
  })

  it.each(['file', 'files[a]', 'organization_id', '__proto__'])(
    'a file under the field name %j',
    async (name) => {
      const disposition = `Content-Disposition: form-data; name="${name}"; filename="a.txt"`
      const answer = await send([file('a.txt', 'x'), part(disposition, 'x'), END])
      expect(answer).toMatchObject(refused('must be the field name of every file', '/files'))
    },
  )

  const NO_FILE_NAME = 'must have a file name: add filename="plan.pdf" to its Content-Disposition'

  it('a file without a name', async () => {
    expect(await send([file('a.txt', 'x'), file('', 'x'), END])).toMatchObject(
      refused(NO_FILE_NAME, '/files/1'),
    )
    expect(await send([field('files', 'x'), END])).toMatchObject(refused(NO_FILE_NAME, '/files/0'))
  })

  it.each([
    ['no JSON', '{"a":'],
    ['a forbidden key', '{"__proto__":{}}'],
    ['nested too deep', '['.repeat(100_000)],
  ])('metadata that is %s', async (_what, metadata) => {
    const answer = await send([file('a.txt', 'x'), field('metadata', metadata), END])
    expect(answer).toMatchObject(refused('must be a JSON object, as text', '/metadata'))
  })

  it('a field that is not UTF-8', async () => {
    for (const name of ['name', 'metadata']) {
      const answer = await send([file('a.txt', 'x'), field(name, Buffer.from([0xc3, 0x28])), END])
      expect(answer).toMatchObject(
        refused(
          'must be UTF-8 text, unless the Content-Type of its part declares another charset',
          `/${name}`,
        ),
      )
    }
  })

  it.each([
    ['no Content-Disposition', 'Content-Type: text/plain'],
    ['two of them', 'Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"'],
    ['another disposition', 'Content-Disposition: attachment; name="files"; filename="a.txt"'],
    ['no name', 'Content-Disposition: form-data; filename="a.txt"'],
    ['an open quote', 'Content-Disposition: form-data; name="files"; filename="a.txt'],
    ['a bare line end in the file name', 'Content-Disposition: form-data; name="files"; filename="a\nb.txt"'],
    [
      'a line end in the file name',
      'Content-Disposition: form-data; name="files"; filename="a\r\nX-Evil: b.txt"',
    ],
    [
      'a header that never ends',
      `Content-Disposition: form-data; name="files"; filename="${'a'.repeat(20_000)}.txt"`,
    ],
    [
      'too many headers',
      `${'X-Filler: 1\r\n'.repeat(50)}Content-Disposition: form-data; name="files"; filename="a.txt"`,
    ],
  ])('a part with %s, so that no file is lost silently', async (_what, headers) => {
    const answer = await send([file('first.txt', 'x'), part(headers, 'content'), END])
    expect(answer).toMatchObject(malformed('A part has no valid Content-Disposition'))
  })

  it('a part whose name is given twice, with two values', async () => {
    const answer = await send([part('Content-Disposition: form-data; name="a"; name="b"', 'x'), END])
    expect(answer).toMatchObject(malformed('has two different values of "name"'))
  })

  it('a part with an unterminated header', async () => {
    const open = Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n`)
    expect(await send([open, field('name', 'A'), END])).toMatchObject(
      malformed('A part has no valid Content-Disposition'),
    )
    expect(await send([field('name', 'A'), open, END])).toMatchObject(
      malformed('A part has no valid Content-Disposition'),
    )
  })
})

describe('a connection', () => {
  it('is used again after a refusal if the body was complete', async () => {
    await serve()
    const { socket, answer } = open()
    const body = Buffer.concat([file('a.exe', randomBytes(300_000)), END])
    socket.write(Buffer.concat([Buffer.from(head(undefined, body.length)), body]))
    expect(await answer).toMatchObject({ status: 400, connection: 'keep-alive' })
    socket.destroy()
  })

  it('is closed after a refusal if the client keeps sending', async () => {
    await serve({ limits: { fileBytes: 1000, jsonBodyBytes: 1000, files: 1 } })
    const { socket, answer } = open()
    socket.write(head(undefined, 1024 * MIB))
    socket.write(file('a.exe', 'x'))
    const stop = new AbortController()
    const flood = (async () => {
      while (!stop.signal.aborted && socket.writable) {
        if (!socket.write(Buffer.alloc(MIB)))
          await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), sleep(50)])
      }
    })()
    const { status, connection } = await answer
    stop.abort()
    await flood
    expect({ status, connection }).toEqual({ status: 413, connection: 'close' })
    await closed(socket)
    expect(await left()).toEqual(NOTHING)
  })

  it('of a client that stops sending is closed, and its data is removed', async () => {
    await serve({ minDataRate: { graceMs: 300, bytesPerSecond: 1024 * MIB } })
    const { socket, answer } = open()
    const body = Buffer.concat([file('a.txt', 'x'), file('b.txt', 'x'.repeat(600_000))])
    socket.write(Buffer.concat([Buffer.from(head(undefined, body.length + 1000)), body]))
    expect(await answer).toMatchObject({ ...malformed('arrived too slowly'), connection: 'close' })
    await closed(socket)
    expect(await left()).toEqual(NOTHING)
  })

  it('of a client that sends a byte now and then is closed', async () => {
    await serve({ minDataRate: { graceMs: 300, bytesPerSecond: 1024 * MIB } })
    const { socket, answer } = open()
    const body = Buffer.concat([file('a.txt', 'x'.repeat(1000)), END])
    socket.write(head(undefined, body.length))
    const drip = setInterval(() => socket.write('-'), 20)
    try {
      expect(await answer).toMatchObject({ ...malformed('arrived too slowly'), connection: 'close' })
    } finally {
      clearInterval(drip)
    }
    await closed(socket)
    expect(await left()).toEqual(NOTHING)
  })

  it('of a slow client is kept if it is not slower than allowed', async () => {
    await serve({ minDataRate: { graceMs: 60_000, bytesPerSecond: 1 } })
    const { socket, answer } = open()
    const body = Buffer.concat([file('a.txt', 'x'), END])
    socket.write(head(undefined, body.length))
    for (const byte of body) {
      socket.write(Buffer.from([byte]))
      await sleep(2)
    }
    expect((await answer).status).toBe(202)
    socket.destroy()
  })

  it('that breaks off leaves nothing stored', async () => {
    await serve()
    const { socket } = open()
    const body = Buffer.concat([file('a.txt', 'x'), file('b.txt', 'x'.repeat(600_000))])
    socket.write(Buffer.concat([Buffer.from(head(undefined, body.length + 1000)), body]))
    // One chunk of each file is in the database when the client disconnects.
    await until(async () => Number((await left())?.['chunks']) >= 2)
    socket.destroy()
    await until(async () => (await left())?.['uploads'] === 0)
    expect(await left()).toEqual(NOTHING)
    expect(forms).toEqual([])
  })

  it('that breaks off before the body leaves nothing waiting', async () => {
    await serve()
    const { socket } = open()
    socket.write(head(undefined, 1000))
    await until(async () => (await connections()) === 1)
    socket.destroy()
    await until(async () => (await connections()) === 0)
    expect(forms).toEqual([])
  })
})

describe('in a host that uses @fastify/multipart itself', () => {
  it.each([{ attachFieldsToBody: false }, { attachFieldsToBody: true }] as const)(
    'works with %j, and so does the host',
    async (options) => {
      app = Fastify()
      await app.register(multipart, { ...options, limits: { fileSize: 10 } })
      app.post('/host', async (request) => ({
        fields: Object.keys((await request.file())?.fields ?? request.body ?? {}),
      }))
      await app.register(async (scope) => {
        scope.removeAllContentTypeParsers()
        takeMultipart(scope)
        scope.post('/start', async (request) =>
          receiveMultipart(request, {
            organizationId: ORGANIZATION,
            requirementsFiles: integrations.requirementsFiles,
            limits: DEFAULT_LIMITS,
          }),
        )
      })
      url = await app.listen({ port: 0, host: '127.0.0.1' })

      const answer = await post(formOf({ name: 'A' }, [['a.txt', Buffer.from('more than ten bytes')]]))
      expect(answer.body).toMatchObject({ body: { name: 'A' }, files: [{ name: 'a.txt', size: 19 }] })
      const ofHost = await fetch(`${url}/host`, {
        method: 'POST',
        body: formOf({ a: 'x' }, [['b.txt', Buffer.from('x')]]),
      })
      expect(await ofHost.json()).toEqual({ fields: ['a', 'files'] })
    },
  )
})

/** Polls, because there is no event to wait for. Only the time limit of the test ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(10)
}

function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve))
}
