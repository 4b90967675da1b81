import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { DEFAULT_LIMITS, type IncomingFile, IntegrationError, type RequirementsFiles } from '@quickquote/core'
import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { receiveMultipart } from '../src/bodies/multipart.ts'

type Part = readonly [header: string | Buffer, content: string | Buffer]

const DISPOSITION = 'Content-Disposition: form-data; '

function formOf(parts: readonly Part[]): Buffer {
  const lines = parts.flatMap(([header, content]) => ['--b0und', header, '', content])
  return Buffer.concat(
    [...lines, '--b0und--', ''].flatMap((line) => [Buffer.from(line), Buffer.from('\r\n')]),
  )
}

function file(parameters: string, content: string | Buffer, header = ''): Part {
  return [`${DISPOSITION}name="${parameters}${header}`, content]
}

function field(name: string, content: string | Buffer, header = ''): Part {
  return [`${DISPOSITION}name="${name}"${header}`, content]
}

const typed = (charset: string) => `\r\nContent-Type: text/plain; charset=${charset}`
const transferred = (encoding: string) => `\r\nContent-Transfer-Encoding: ${encoding}`

/** The content of the form, or its refusal. Files are not stored: a store does not see how the form was cut. */
async function received(pieces: Iterable<Buffer>): Promise<unknown> {
  const requirementsFiles = {
    async receive({ name, bytes }: IncomingFile) {
      return { name, content: (await buffer(bytes)).toString('latin1') }
    },
    async discard() {},
  } as unknown as RequirementsFiles
  const request = {
    headers: { 'content-type': 'multipart/form-data; boundary=b0und; charset=iso-8859-15' },
    body: Readable.from(pieces),
  } as unknown as FastifyRequest
  try {
    return await receiveMultipart(request, { organizationId: '', requirementsFiles, limits: DEFAULT_LIMITS })
  } catch (error) {
    if (error instanceof IntegrationError) return error.message
    throw error
  }
}

const TEXTS: readonly Part[] = [
  field('_charset_', 'shift_jis'),
  field('name', Buffer.from('Größe', 'latin1'), typed('ISO-8859-1')),
  field('description', Buffer.from('\uFEFFa\r\n🙂\r\r\n', 'utf16le'), typed('utf-16le')),
  field('external_id', Buffer.from([0x83, 0x65, 0x83, 0x58])),
  field(
    'requirementsText',
    'One,=20=\r\ntwo=0D=0Aand=\t\r\nGr=C3=B6=C3=9Fe\r\n=',
    typed('utf-8') + transferred(' Quoted-Printable'),
  ),
  field(
    'metadata',
    'eyJk\r\nZWFs\tIjoi0\nJQtMSJ9',
    `\r\nContent-Type: application/json${transferred('base64 ')}`,
  ),
]
const FILES: readonly Part[] = [
  file('files[1]"; filename="C:\\new\\a.txt"', 'one\r\n--b0x'),
  file('files[0]"; filename="b\\ 7.txt"', Buffer.from('R3I9\r\nw7bDn2U'), transferred('base64')),
  file(
    `files[]"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%.txt`,
    '=47r=\n=C3=B6=\r\n',
    transferred('quoted-printable'),
  ),
  [Buffer.from(`${DISPOSITION}name="files"; filename="Gr\xf6\xdfe \xa4.txt"`, 'latin1'), ''],
]

const TAKEN = {
  body: {
    name: 'Größe',
    description: 'a\n🙂\r\n',
    external_id: 'テス',
    requirementsText: 'One, two\nandGröße\n',
    metadata: { deal: 'Д-1' },
  },
  files: [
    { name: 'C:\\new\\a.txt', content: 'one\r\n--b0x' },
    { name: 'b 7.txt', content: 'Gr=Ã¶Ã\u009fe' },
    { name: 'Größe%.txt', content: 'GrÃ¶' },
    { name: 'Größe €.txt', content: '' },
  ],
}

const GOOD = file('files"; filename="a.txt"', 'x')

it.each<[string, readonly Part[], unknown]>([
  ['texts', TEXTS, { ...TAKEN, files: [] }],
  ['files', FILES, { ...TAKEN, body: {} }],
  ['files between texts', [...TEXTS.slice(0, 3), ...FILES, ...TEXTS.slice(3)], TAKEN],
  [
    'no base64',
    [GOOD, field('name', 'QUJD*', transferred('base64'))],
    '/name: must be base64, as its Content-Transfer-Encoding says',
  ],
  [
    'base64 behind its padding',
    [field('name', 'QQ==QQ==', transferred('base64'))],
    '/name: must be base64, as its Content-Transfer-Encoding says',
  ],
  [
    'base64 that breaks off',
    [GOOD, file('files"; filename="b.txt"', 'QUJDR', transferred('base64'))],
    '/files/1: must be base64, as its Content-Transfer-Encoding says',
  ],
  [
    'no quoted-printable',
    [field('name', 'a=4x', transferred('quoted-printable'))],
    '/name: must be quoted-printable, as its Content-Transfer-Encoding says',
  ],
  [
    'quoted-printable that breaks off',
    [field('name', 'a=4', transferred('quoted-printable'))],
    '/name: must be quoted-printable, as its Content-Transfer-Encoding says',
  ],
  [
    'a carriage return in a soft break',
    [field('name', 'a=\r\rb', transferred('quoted-printable'))],
    '/name: must be quoted-printable, as its Content-Transfer-Encoding says',
  ],
  [
    'another encoding, behind another fault',
    [field('metadata[a]', ''), field('name', 'x', transferred('x-gzip'))],
    '/metadata: must be one field: send metadata as JSON text',
  ],
  [
    'a code unit that is cut',
    [field('name', Buffer.from('ab\xe4', 'latin1'), typed('utf-16be'))],
    '/name: must be text in the charset that it declares, "utf-16be"',
  ],
  [
    'an unknown charset',
    [field('name', 'x', typed('"klingon"'))],
    '/name: must be in a known charset, such as UTF-8: "klingon" is unknown',
  ],
])('a form is read the same, wherever it is cut: %s', async (_, parts, expected) => {
  await expectAtEveryCut(formOf(parts), expected)
})

it.each([
  ['spaces and tabs', ' \t '],
  ['as many as the longest line has', ' '.repeat(200)],
])('white space behind boundaries is no header, wherever it is cut: %s', async (_, padding) => {
  const content = `x\r\n--b0un${padding}\r\n-- b0und${padding}\r\ny --b0und${padding}\r\n`
  const form = formOf([
    field('name', `a --b0und${padding}`),
    file('files"; filename="a.txt"', content),
    field('description', '\r'),
  ])
  const padded = form
    .toString()
    .replaceAll(/--b0und(?:--)?\r\n/g, (line) => line.replace('\r', `${padding}\r`))
  expect(padded).not.toBe(form.toString())
  await expectAtEveryCut(Buffer.from(padded), await received([form]))
  expect(await received([form])).toMatchObject({
    body: { name: `a --b0und${padding}`, description: '\r' },
    files: [{ content }],
  })
})

async function expectAtEveryCut(form: Buffer, expected: unknown): Promise<void> {
  expect(await received([form])).toEqual(expected)
  for (let at = 1; at < form.length; at += 1) {
    expect(await received([form.subarray(0, at), form.subarray(at)]), `cut at ${at}`).toEqual(expected)
  }
  expect(await received([...form].map((byte) => Buffer.from([byte])))).toEqual(expected)
}
