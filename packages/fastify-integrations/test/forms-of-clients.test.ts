import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { ACME, useHost } from './support/host.ts'

const PATH = '/v1/integrations/quotations'
const TYPE = 'multipart/form-data; boundary=b'
/** 500,000 characters with a line end behind every three: sent as CRLF, they are 124,999 more. */
const LONGEST = `${'aaa\n'.repeat(124_999)}aaaa`

const context = useHost({ integrations: { limits: { startsPerMinute: 1e6, requestsPerMinute: 1e6 } } })
let key: string

beforeAll(async () => {
  key = (await context.host.createKey()).key
})

type Part = readonly [header: string | Buffer, content: string | Buffer]

const named = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`
const file = (name: string, fileName: string, content = '# x'): Part => [
  named(name, `; filename="${fileName}"`),
  content,
]
const typed = (charset: string) => `\r\nContent-Type: text/plain; charset=${charset}`
const encoded = (encoding: string) => `\r\nContent-Transfer-Encoding: ${encoding}`
const TEXT: Part = [named('requirementsText'), 'Customers sign in.']

function start(parts: readonly Part[], contentType = TYPE, headers: Record<string, string> = {}) {
  const lines = parts.flatMap(([header, content]) => ['--b', header, '', content])
  const body = Buffer.concat(
    [...lines, '--b--', ''].flatMap((line) => [Buffer.from(line), Buffer.from('\r\n')]),
  )
  return context.host.call('POST', PATH, { key, body, headers: { 'Content-Type': contentType, ...headers } })
}

/** Starts a quote, and reads it from the database. */
async function taken(parts: readonly Part[], contentType?: string) {
  const { status, body } = await start(parts, contentType)
  expect(body).toEqual({ quotation_id: expect.any(String), status: 'queued' })
  expect(status).toBe(202)
  const [row] = await context.sql`
    select name, requirements_text, metadata from quickquote.quotations where id = ${String(body['quotation_id'])}`
  const stored = await context.sql`
    select id, name from quickquote.quotation_files
    where quotation_id = ${String(body['quotation_id'])} order by position`
  const files = await Promise.all(
    stored.map(async ({ id, name }) => {
      const bytes = context.host.integrations.storage.files.get({ id, organization_id: ACME })
      return [name, (await buffer(bytes)).toString()]
    }),
  )
  return { name: row?.['name'], text: row?.['requirements_text'], metadata: row?.['metadata'], files }
}

async function refused(parts: readonly Part[], contentType?: string) {
  const { status, body } = await start(parts, contentType)
  expect(status).toBe(400)
  return body['errors'] ?? body['detail']
}

describe('the names of fields', () => {
  it('files[], files[0] and files are one field, in the order in which its parts come', async () => {
    const sent = ['files[2]', 'files[]', 'files', 'files[0]', 'files[12345678901234567890]']
    const { files } = await taken(sent.map((name, index) => file(name, `${index}.md`)))
    expect(files.map(([name]) => name)).toEqual(['0.md', '1.md', '2.md', '3.md', '4.md'])
  })

  it('a sixth file is one too many, whatever its name', async () => {
    const sent = Array.from({ length: 60 }, (_, index) => file(`files[${index}]`, `${index}.md`))
    expect(await refused(sent)).toEqual([
      { pointer: '/files/5', detail: 'is one file too many: a quotation has at most 5 files' },
    ])
  })

  it.each(['metadata[deal]', 'metadata[]', 'metadata.deal', 'metadata{}'])(
    '%s is a 400 at /metadata: metadata would be lost',
    async (name) => {
      expect(await refused([TEXT, [named(name), '{"deal":"D-1"}']])).toEqual([
        { pointer: '/metadata', detail: 'must be one field: send metadata as JSON text' },
      ])
    },
  )

  it.each(['files', 'files[]', 'files[0]'])('%s without a file name is a 400 that says so', async (name) => {
    expect(await refused([TEXT, [named(name), '# x']])).toEqual([
      {
        pointer: '/files/0',
        detail: 'must have a file name: add filename="plan.pdf" to its Content-Disposition',
      },
    ])
  })
})

describe('a text', () => {
  it('is decoded by the charset of its Content-Type', async () => {
    const { name, text } = await taken([
      [named('name', typed('"iso-8859-1"')), Buffer.from('Ã¼ber', 'latin1')],
      [named('requirementsText', typed('UTF-16LE')), Buffer.from('Größe', 'utf16le')],
    ])
    expect([name, text]).toEqual(['Ã¼ber', 'Größe'])
  })

  it('is decoded by the field _charset_ otherwise, wherever that stands, and JSON is not', async () => {
    const { name, text, metadata } = await taken([
      [named('requirementsText'), Buffer.from('Größe \x80', 'latin1')],
      [named('name', typed('utf-8')), 'Größe'],
      [named('metadata', '\r\nContent-Type: application/json'), '{"deal":"Größe"}'],
      [named('_charset_'), 'windows-1252'],
    ])
    expect([name, text, metadata]).toEqual(['Größe', 'Größe €', { deal: 'Größe' }])
  })

  it.each([
    ['that is unknown', 'x-klingon', 'must be in a known charset, such as UTF-8: "x-klingon" is unknown'],
    ['that its bytes do not fit', 'gb18030', 'must be text in the charset that it declares, "gb18030"'],
    ['that its bytes do not fit', 'utf-8', 'must be text in the charset that it declares, "utf-8"'],
  ])('is a 400 that names a charset %s: %s', async (_, charset, detail) => {
    const bytes = Buffer.from('Größe\xff', 'latin1')
    for (const parts of [
      [[named('requirementsText', typed(charset)), bytes]],
      [
        [named('name'), bytes],
        [named('_charset_'), charset],
      ],
    ] as Part[][]) {
      const pointer = parts.length === 1 ? '/requirementsText' : '/name'
      expect(await refused(parts)).toEqual([{ pointer, detail }])
    }
  })

  it('has LF for CRLF, and nothing else', async () => {
    const { text } = await taken([[named('requirementsText'), 'One\r\ntwo\rthree\n\r\r\nfour\r']])
    expect(text).toBe('One\ntwo\rthree\n\r\nfour\r')
  })

  it('has as many characters as its limit allows, without those of form encoding', async () => {
    const { text } = await taken([[named('requirementsText'), LONGEST.replaceAll('\n', '\r\n')]])
    expect(text).toBe(LONGEST)
    expect(await refused([[named('requirementsText'), `${LONGEST}\r\na`]])).toMatchObject([
      { pointer: '/requirementsText' },
    ])
  })
})

describe('Content-Transfer-Encoding', () => {
  it('is decoded: base64', async () => {
    const { text, files } = await taken([
      [named('requirementsText', encoded('base64')), 'R3LD\r\ntsOf\r\nZQ==\r\n'],
      [named('files', `; filename="a.md"${encoded('BASE64')}`), Buffer.from('# Größe').toString('base64')],
    ])
    expect([text, files]).toEqual(['Größe', [['a.md', '# Größe']]])
  })

  it('is decoded: quoted-printable', async () => {
    const { text, files } = await taken([
      [named('requirementsText', encoded('quoted-printable')), 'Gr=C3=B6=C3=9Fe, =\r\n7=3d7\r\nend='],
      [named('files', `; filename="a.md"${encoded('Quoted-Printable')}`), '# Gr=\r\n=C3=B6=C3=9Fe\r\n'],
    ])
    expect([text, files]).toEqual(['Größe, 7=7\nend', [['a.md', '# Größe\r\n']]])
  })

  it.each(['7bit', ' 8BIT', 'binary '])('means nothing: %j', async (encoding) => {
    expect((await taken([[named('requirementsText', encoded(encoding)), 'R3Lw=41']])).text).toBe('R3Lw=41')
  })

  it('is a 400 that names any other', async () => {
    expect(await refused([TEXT, [named('name', encoded('x-uuencode')), '#0V%T']])).toBe(
      'A part has the unknown Content-Transfer-Encoding "x-uuencode": send its bytes as they are.',
    )
  })

  it.each([
    ['base64', 'R3LD*'],
    ['quoted-printable', '=XY'],
  ])('is a 400 at the part whose bytes are no %s', async (encoding, content) => {
    const detail = `must be ${encoding}, as its Content-Transfer-Encoding says`
    const header = named('files[]', `; filename="b.md"${encoded(encoding)}`)
    expect(await refused([file('files', 'a.md'), [header, content]])).toEqual([
      { pointer: '/files/1', detail },
    ])
  })

  it('lets no file be larger than its limit, and no encoding count', async () => {
    const most = 'QUFB'.repeat(3_495_253)
    expect(
      (await start([[named('files', `; filename="a.txt"${encoded('base64')}`), `${most}QQ==`]])).status,
    ).toBe(202)
    const more = await start([[named('files', `; filename="a.txt"${encoded('base64')}`), `${most}QUE=`]])
    expect(more).toMatchObject({ status: 413, body: { errors: [{ pointer: '/files/0' }] } })
  })
})

describe('a file name', () => {
  const nameOf = async (header: string | Buffer, contentType?: string) =>
    (await taken([[header, '# x']], contentType)).files[0]?.[0]

  it.each([
    ['of Windows', '; filename="C:\\new\\plan.md"', 'plan.md'],
    ['of a share', '; filename="\\\\server\\new\\plan.md"', 'plan.md'],
    ['with escaped spaces (Crystal)', '; filename="Offer\\ 7\\ final.md"', 'Offer 7 final.md'],
    ['with octal escapes (Emacs)', '; filename="Gr\\303\\266\\303\\237e 7.md"', 'Gr303266303237e 7.md'],
    ['with percent signs (aiohttp, needle)', '; filename="Gr%C3%B6%C3%9Fe.md"', 'Größe.md'],
    ['as an encoded word (Spring 4.3, Indy)', '; filename="=?UTF-8?Q?Gr=C3=B6=C3=9Fe.md?="', 'Größe.md'],
    ['with a lone percent sign (libsoup 3)', `; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20100%.md`, 'Größe 100%.md'],
    ['twice (MIME::Entity)', '; filename="a.md"; filename="a.md"', 'a.md'],
    ['safe, whatever is decoded', `; filename="%2e%2e%2f%C3%9F%0d%0a%22.md"`, 'ß_.md'],
  ])('is read: %s', async (_, parameters, name) => {
    expect(await nameOf(named('files', parameters))).toBe(name)
  })

  it('may be in the charset that the form declares, or in that of Windows', async () => {
    const header = Buffer.from(named('files', '; filename="Gr\xf6\xdfe \xa4.md"'), 'latin1')
    expect(await nameOf(header)).toBe('Größe ¤.md')
    expect(await nameOf(header, `${TYPE}; charset=ISO-8859-15`)).toBe('Größe €.md')
  })

  it('is a 400 that names filename*, if that is all and cannot be read', async () => {
    expect(await refused([[named('files', "; filename*=UTF-8''%F6.md"), '# x']])).toMatch(/filename\*/)
  })
})

describe('an empty Content-Encoding, or identity, is none', () => {
  it.each(['', 'identity', 'Identity, '])('%j', async (encoding) => {
    expect((await start([TEXT], TYPE, { 'Content-Encoding': encoding })).status).toBe(202)
    const json = { requirementsText: 'Customers sign in.' }
    const headers = { 'Content-Encoding': encoding }
    expect((await context.host.call('POST', PATH, { key, json, headers })).status).toBe(202)
  })
})
