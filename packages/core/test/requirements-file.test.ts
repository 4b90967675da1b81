import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { docx, zip } from '@quickquote/dev-servers/docx-samples'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRequirementsFiles, type IncomingFile } from '../src/files/requirements-file.ts'
import { IntegrationError } from '../src/lib/errors.ts'
import { silentLogger } from '../src/lib/logger.ts'
import { DEFAULT_LIMITS } from '../src/model/limits.ts'
import type { FileStorage } from '../src/storage/files.ts'
import type { UploadStorage } from '../src/storage/uploads.ts'
import { inPieces, useUploads } from './support/host-files.ts'

const organizationId = randomUUID()
const PDF = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n%%EOF', 'latin1')

/** After every upload of a test. */
const LATER = new Date(Date.now() + 3_600_000)

const storage = useUploads()

const settings = {
  limits: DEFAULT_LIMITS,
  logger: silentLogger,
  now: () => new Date(),
  hookTimeoutMs: 10_000,
}

function receive(file: Partial<IncomingFile> & Pick<IncomingFile, 'name' | 'bytes'>) {
  return createRequirementsFiles(storage, settings).receive({ organizationId, index: 0, ...file })
}

async function expectNothing() {
  expect([storage.stored.size, await storage.listed()]).toEqual([0, []])
}

/** The refusal of a file, which must leave nothing behind. */
async function refusalOf(name: string, bytes: Uint8Array | AsyncIterable<Uint8Array>, index = 0) {
  const source = Symbol.asyncIterator in bytes ? bytes : inPieces(bytes)
  const error: unknown = await receive({ name, bytes: source, index }).then(
    () => 'accepted',
    (refusal: unknown) => refusal,
  )
  await expectNothing()
  if (!(error instanceof IntegrationError)) throw error
  return { status: error.status, errors: error.errors }
}

const refused = (detail: string, { status = 400, pointer = '/files/0' } = {}) => ({
  status,
  errors: [{ pointer, detail }],
})

const NO_PDF = 'must be a PDF document, with %PDF- in its first 1024 bytes'
const WITH_NUL = 'must be UTF-8 text without NUL characters'
const UTF_16 = 'must be UTF-8 text, and looks like UTF-16: save it as UTF-8'
const EIGHT_BIT = 'must be UTF-8 text, and looks like an 8-bit charset such as Windows-1252: save it as UTF-8'

describe('a requirements file', () => {
  it.each([
    ['plan.docx', docx()],
    ['plan.pdf', PDF],
    ['plan.txt', Buffer.from('Grüße, 日本 🙂')],
    ['PLAN.MD', Buffer.from('\uFEFF# Plan')],
  ])('is stored unchanged: %s', async (name, bytes) => {
    const file = await receive({ name, bytes: inPieces(bytes, 3) })
    expect(file).toEqual({
      id: expect.any(String),
      name,
      type: name.toLowerCase().split('.')[1],
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    expect(storage.stored.get(file.id)).toEqual(bytes)
    expect(await storage.listed()).toEqual([{ id: file.id, organization_id: organizationId }])
  })

  it('gets a safe name', async () => {
    const file = await receive({ name: '../..\\a\u202e\r\n.txt', bytes: inPieces(Buffer.from('x')) })
    expect(file.name).toBe('.._a.txt')
  })

  it('may be exactly as large as the limit', async () => {
    const bytes = Buffer.alloc(DEFAULT_LIMITS.fileBytes, 'a')
    expect((await receive({ name: 'a.txt', bytes: inPieces(bytes) })).size).toBe(bytes.length)
  })

  it.each(['a.txt', 'a.pdf', 'a.docx'])('is a 413 once it exceeds the limit: %s', async (name) => {
    let sent = 0
    const endless = async function* () {
      for (;;) {
        sent += 1024
        yield sent === 1024
          ? Buffer.concat([Buffer.from('%PDF-1'), Buffer.alloc(1018, 'a')])
          : Buffer.alloc(1024, 'a')
      }
    }
    expect(await refusalOf(name, endless())).toEqual(
      refused(`must have at most ${DEFAULT_LIMITS.fileBytes} bytes`, { status: 413 }),
    )
    expect(sent).toBe(DEFAULT_LIMITS.fileBytes + 1024)
  })

  it.each(['a.txt', 'a.pdf', 'a.docx'])('is refused if empty: %s', async (name) => {
    expect(await refusalOf(name, Buffer.alloc(0))).toEqual(refused('must not be empty'))
  })

  it('is refused unread if it is one too many', async () => {
    const unread = {
      [Symbol.asyncIterator](): never {
        throw new Error('read')
      },
    }
    expect(await refusalOf('a.txt', unread, 5)).toEqual(
      refused('is one file too many: a quotation has at most 5 files', { pointer: '/files/5' }),
    )
  })

  it.each(['a.exe', 'a.docm', 'a.doc', 'a.zip', 'a', 'pdf', 'a.pdf.exe', 'a.html', 'txt.', '.pdf/'])(
    'is refused if its extension is not allowed: %s',
    async (name) => {
      expect(await refusalOf(name, PDF)).toEqual(refused('must be of one of the types docx, pdf, txt, md'))
    },
  )

  it.each([
    ['a program', Buffer.concat([Buffer.from('MZ\x90\0'), randomBytes(100)])],
    ['a zip', zip([{ name: 'a' }])],
    ['text', Buffer.from('hello')],
    ['a header behind its first 1,024 bytes', Buffer.concat([Buffer.alloc(1019, '\n'), PDF])],
    ['less than a header', Buffer.from('%PDF-')],
    ['a header without a version', Buffer.from('%PDF-x.7 and more')],
  ])('is refused as .pdf if it is %s', async (_what, bytes) => {
    expect(await refusalOf('a.pdf', bytes)).toEqual(refused(NO_PDF))
    expect(await refusalOf('a.pdf', inPieces(bytes, 1))).toEqual(refused(NO_PDF))
  })

  it.each([
    ['a byte order mark', Buffer.from('\uFEFF')],
    ['a line end', Buffer.from('\r\n')],
    ['the headers of a mail', Buffer.from('Content-Type: application/pdf\r\n\r\n')],
    ['1,018 bytes', Buffer.alloc(1018, '%PDF-')],
  ])('may be a PDF with %s before its header', async (_what, before) => {
    const bytes = Buffer.concat([before, PDF])
    for (const pieces of [inPieces(bytes), inPieces(bytes, 1)]) {
      const { id } = await receive({ name: 'a.pdf', bytes: pieces })
      expect(storage.stored.get(id)).toEqual(bytes)
    }
  })

  it.each([
    ['UTF-16', Buffer.from('\uFEFFhello', 'utf16le'), UTF_16],
    ['UTF-16, the other way round', Buffer.from('\uFEFFhello', 'utf16le').swap16(), UTF_16],
    ['UTF-16 without a byte order mark', Buffer.from('hello – world', 'utf16le'), UTF_16],
    ['long UTF-16 that is odd first', Buffer.from(`日本${'hello'.repeat(100)}`, 'utf16le'), UTF_16],
    ['Latin-1', Buffer.from('Grüße', 'latin1'), EIGHT_BIT],
    ['Windows-1252 behind a long text', Buffer.from(`${'a'.repeat(100_000)}\x80`, 'latin1'), EIGHT_BIT],
    ['text with NUL', Buffer.from('a\0b'), WITH_NUL],
    ['a surrogate in UTF-8', Buffer.from('eda080', 'hex'), EIGHT_BIT],
    ['an overlong form', Buffer.from('c0af', 'hex'), EIGHT_BIT],
    ['cut within a character', Buffer.from('日本').subarray(0, 5), EIGHT_BIT],
    ['a program', Buffer.concat([Buffer.from('\x7fELF\0\0\0'), Buffer.alloc(100, 0xff)]), WITH_NUL],
    ['8-bit text with NUL', Buffer.from('Grüße\0', 'latin1'), EIGHT_BIT],
    ['white space', Buffer.from(' \r\n\t\u00a0\u3000'), 'must not be empty: it has only white space'],
    ['a byte order mark', Buffer.from('\uFEFF'), 'must not be empty: it has only white space'],
  ])('is refused as .txt or .md, with advice, if it is %s', async (_what, bytes, detail) => {
    expect(await refusalOf('a.txt', bytes)).toEqual(refused(detail))
    expect(await refusalOf('a.md', inPieces(bytes, 1))).toEqual(refused(detail))
  })

  it('is refused as .docx if it is another zip', async () => {
    expect(await refusalOf('a.docx', zip([{ name: 'readme.txt', data: 'x' }]))).toEqual(
      refused('must be a Word document (.docx)'),
    )
  })

  it('is refused with a message that repeats nothing of it', async () => {
    const secret = 'pk_secret_in_the_file'
    const entry = { name: `../${secret}`, data: secret }
    const refusals = [
      await refusalOf('a.docx', zip([entry])),
      await refusalOf('a.pdf', Buffer.from(secret)),
      await refusalOf('a.txt', Buffer.from(`${secret}\0`)),
      await refusalOf(`${secret}.exe`, Buffer.from(secret)),
    ]
    expect(JSON.stringify(refusals)).not.toContain(secret)
  })
})

describe('an incomplete file', () => {
  it.each(['a.txt', 'a.pdf', 'a.docx'])(
    'leaves nothing behind, and throws its own error: %s',
    async (name) => {
      const gone = new Error('the client is gone')
      const broken = async function* () {
        yield PDF.subarray(0, 20).map((byte) => byte & 0x7f)
        throw gone
      }
      await expect(receive({ name, bytes: broken() })).rejects.toBe(gone)
      await expectNothing()
    },
  )

  it('throws its own error even if the storage wraps it', async () => {
    const { put } = storage.files
    storage.files.put = async (file, bytes) => {
      await put(file, bytes).catch((cause: unknown) => {
        throw new Error('upload failed', { cause })
      })
    }
    expect(await refusalOf('a.pdf', Buffer.from('no pdf'))).toEqual(refused(NO_PDF))
  })

  it('is not accepted if the storage did not read all of it, because it is unchecked', async () => {
    storage.files.put = async (_file, bytes) => {
      for await (const _ of bytes) break
    }
    await expect(receive({ name: 'a.txt', bytes: inPieces(Buffer.from('ab'), 1) })).rejects.toThrow(
      /must read a file to its end/,
    )
    expect(await storage.listed()).toEqual([])
  })

  it('stays on the list if it cannot be removed now, and the refusal is still thrown', async () => {
    const { delete: remove } = storage.files
    storage.files.delete = async () => {
      throw new Error('the store is down')
    }
    await expect(receive({ name: 'a.pdf', bytes: inPieces(Buffer.from('no pdf')) })).rejects.toThrow(NO_PDF)
    expect(await storage.listed()).toHaveLength(1)

    storage.files.delete = remove
    expect(await createRequirementsFiles(storage, settings).deleteAbandoned(LATER)).toBe(1)
    await expectNothing()
  })
})

describe('a Word document on disk, before its check', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quickquote-test-'))
    vi.stubEnv('TMPDIR', folder)
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })

  it('has no name, so that nothing is left if the process dies', async () => {
    const seen: string[][] = []
    async function* watched() {
      for await (const piece of inPieces(docx(), 100)) {
        yield piece
        seen.push(await readdir(folder))
      }
    }
    await receive({ name: 'a.docx', bytes: watched() })
    expect(seen.length).toBeGreaterThan(5)
    expect(seen.flat()).toEqual([])
  })

  it.runIf(process.platform === 'linux')('is closed, whatever the result', async () => {
    const openFiles = () => readdirSync('/proc/self/fd').length
    const before = openFiles()
    const stored = storage.files.put
    await refusalOf('a.docx', zip([{ name: 'a' }]))
    await receive({ name: 'a.docx', bytes: inPieces(docx()) })
    storage.files.put = async (_file, bytes) => {
      for await (const _ of bytes) throw new Error('the store is down')
    }
    await expect(receive({ name: 'a.docx', bytes: inPieces(docx()) })).rejects.toMatchObject({ status: 503 })
    storage.files.put = stored
    await expect.poll(openFiles).toBeLessThanOrEqual(before)
  })

  it.runIf(process.platform === 'linux').each([
    ['fails', () => Promise.reject(new Error('the store is down')), 'the store is down'],
    ['hangs', () => new Promise<never>(() => {}), 'files.put did not respond within 2000 ms'],
  ])('is closed if the storage %s before it has read it', async (_what, fate, told) => {
    const openFiles = () => readdirSync('/proc/self/fd').length
    const before = openFiles()
    storage.files.put = async (_file, bytes) => {
      await bytes[Symbol.asyncIterator]().next()
      await fate()
    }
    const receiving = createRequirementsFiles(storage, { ...settings, hookTimeoutMs: 2000 }).receive({
      organizationId,
      index: 0,
      name: 'a.docx',
      bytes: inPieces(docx()),
    })
    await expect(receiving).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: expect.objectContaining({ message: told }),
    })
    await expect.poll(openFiles).toBeLessThanOrEqual(before)
  })

  it('is a 503 if the folder for temporary files is missing', async () => {
    vi.stubEnv('TMPDIR', join(folder, 'missing'))
    await expect(receive({ name: 'a.docx', bytes: inPieces(docx()) })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: expect.objectContaining({ code: 'ENOENT' }),
    })
    await expectNothing()
  })
})

describe('a storage of the host', () => {
  const impatient = { ...settings, hookTimeoutMs: 1000 }
  const receiveWith = (bytes: AsyncIterable<Uint8Array>) =>
    createRequirementsFiles(storage, impatient).receive({ organizationId, index: 0, name: 'a.txt', bytes })

  it.each<[string, FileStorage['put']]>([
    [
      'throws at once',
      () => {
        throw new Error('the store is down')
      },
    ],
    ['never begins', () => new Promise(() => {})],
    [
      'never ends',
      async (_file, bytes) => {
        for await (const _ of bytes);
        await new Promise(() => {})
      },
    ],
  ])('that %s is a 503, and its bytes are removed', async (_what, put) => {
    storage.files.put = put
    await expect(receiveWith(inPieces(Buffer.from('text'), 1))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
    expect(await storage.listed()).toEqual([])
  })

  it('is not blamed for a slow client', async () => {
    const slowly = async function* () {
      for (let piece = 0; piece < 5; piece += 1) {
        await sleep(300)
        yield Buffer.from('x')
      }
    }
    expect((await receiveWith(slowly())).size).toBe(5)
  })

  it('may take long for a file while it keeps reading', async () => {
    storage.files.put = async (_file, bytes) => {
      for await (const _ of bytes) await sleep(300)
    }
    expect((await receiveWith(inPieces(Buffer.from('12345'), 1))).size).toBe(5)
  })

  it('that hangs on delete does not delay a refusal', async () => {
    storage.files.delete = () => new Promise(() => {})
    await expect(receiveWith(inPieces(Buffer.from('a\0')))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    })
    expect(await storage.listed()).toHaveLength(1)
  })

  it('that cannot delete one file deletes the others', async () => {
    const received = await Promise.all(
      Array.from({ length: 130 }, () => receiveWith(inPieces(Buffer.from('text')))),
    )
    const stuck = received[0]?.id
    const remove = storage.files.delete
    storage.files.delete = async (unwanted) => {
      if (unwanted.some(({ id }) => id === stuck)) throw new Error('not that one')
      await remove(unwanted)
    }
    const files = createRequirementsFiles(storage, impatient)
    await expect(files.deleteAbandoned(LATER)).rejects.toThrow('not that one')
    expect((await storage.listed()).map(({ id }) => id)).toEqual([stuck])
  })
})

it('an upload that takes hours is recorded repeatedly', async () => {
  let now = 0
  const notedAt: number[] = []
  const uploads: UploadStorage = {
    ...storage.uploads,
    async record(file, at) {
      notedAt.push(at.getTime() / 60_000)
      await storage.uploads.record(file, at)
    },
    async renew(file, state, at) {
      notedAt.push(at.getTime() / 60_000)
      if (state.isReceived) notedAt.push(Number.POSITIVE_INFINITY)
      return storage.uploads.renew(file, state, at)
    },
  }
  const slowly = async function* () {
    for (let minute = 0; minute < 35; minute += 5) {
      now = minute * 60_000
      yield Buffer.from('x')
    }
  }
  const files = createRequirementsFiles(
    { files: storage.files, uploads },
    { ...settings, now: () => new Date(now) },
  )
  await files.receive({ organizationId, index: 0, name: 'a.txt', bytes: slowly() })
  expect(notedAt).toEqual([0, 10, 20, 30, 30, Number.POSITIVE_INFINITY])
})

it.each([
  ['at its end', 0],
  ['during it', 11],
])('an upload that was abandoned meanwhile is refused and leaves no bytes: %s', async (_, minutes) => {
  let now = 0
  const bytes = (async function* () {
    yield Buffer.from('x')
    // As if its bytes were deleted once already.
    await storage.uploads.forget(await storage.listed())
    now = minutes * 60_000
    yield Buffer.from('y')
  })()
  const files = createRequirementsFiles(storage, { ...settings, now: () => new Date(now) })
  await expect(files.receive({ organizationId, index: 2, name: 'a.txt', bytes })).rejects.toMatchObject({
    status: 400,
    errors: [{ pointer: '/files/2', detail: 'must be uploaded without long pauses' }],
  })
  await expectNothing()
})

describe('files without a quote', () => {
  it('are removed, and those of a quote are not', async () => {
    const files = createRequirementsFiles(storage, settings)
    const [kept, unwanted] = [
      await receive({ name: 'a.txt', bytes: Readable.from([Buffer.from('a')]) }),
      await receive({ name: 'b.txt', bytes: Readable.from([Buffer.from('b')]) }),
    ]
    await storage.uploads.forget([{ id: kept.id, organization_id: organizationId }])
    await files.discard([kept, unwanted].map(({ id }) => ({ id, organization_id: organizationId })))
    expect([...storage.stored.keys()]).toEqual([kept.id])
  })

  it('are removed, however many', async () => {
    for (let index = 0; index < 250; index += 1) {
      await receive({ name: 'a.txt', bytes: Readable.from([Buffer.from('a')]) })
    }
    expect(await createRequirementsFiles(storage, settings).deleteAbandoned(LATER)).toBe(250)
    await expectNothing()
  })
})
