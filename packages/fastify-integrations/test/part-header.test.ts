import { describe, expect, it, vi } from 'vitest'
import { readPartHeader } from '../src/bodies/part-header.ts'

/** What is read from a Content-Disposition, or the detail of its refusal. */
function read(disposition: string | Buffer, charset: string | null = null) {
  const bytes = Buffer.from(disposition).toString('latin1')
  try {
    const { name, fileName } = readPartHeader({ 'content-disposition': [bytes] }, charset)
    return { name, fileName }
  } catch (error) {
    return (error as Error).message
  }
}

const INVALID = 'A part has no valid Content-Disposition: it must be form-data with a name.'
const twice = (name: string) => `A part's Content-Disposition has two different values of "${name}".`

it.each<[string, ReturnType<typeof read>]>([
  ['form-data; name=a', { name: 'a', fileName: null }],
  ['form-data;name="a";', { name: 'a', fileName: null }],
  ['form-data; name="a" ; filename = "b.txt" ; ', { name: 'a', fileName: 'b.txt' }],
  ['Form-Data; Name="a"; FILENAME=b c.txt ;x=1', { name: 'a', fileName: 'b c.txt' }],
  ['form-data; name=""; filename=""', { name: '', fileName: '' }],
  [`form-data; name="a"; filename="b"; filename*=utf-8'de'%C3%BC`, { name: 'a', fileName: 'ü' }],
  ['form-data; name=a; name=a; filename="b"; filename=b', { name: 'a', fileName: 'b' }],
  ['form-data; name=a; name=b', twice('name')],
  ['form-data; name=a; filename="b"; filename="c"', twice('filename')],
  ['form-data', INVALID],
  ['form-data; filename="b"', INVALID],
  ['form-data; name', INVALID],
  ['form-data; name=', INVALID],
  ['form-data; name=;', INVALID],
  ['form-data; =a', INVALID],
  ['form-data; ; name=a', INVALID],
  ['form-data; name="a', INVALID],
  [String.raw`form-data; name="a\"`, INVALID],
  ['form-data; name="a"b', INVALID],
  ['form-data; name="a" x', INVALID],
  ['form-dataname=a', INVALID],
  ['attachment; name=a', INVALID],
])('reads %s', (disposition, header) => {
  expect(read(disposition)).toEqual(header)
})

describe('the name of a file', () => {
  const fileName = (parameters: string | Buffer, charset: string | null = null) => {
    const header = read(Buffer.concat([Buffer.from('form-data; name=a; '), Buffer.from(parameters)]), charset)
    return typeof header === 'string' ? header : header.fileName
  }

  it.each([
    ['a path with a drive', String.raw`filename="C:\new\"7\"\plan.txt"`, String.raw`C:\new"7"\plan.txt`],
    ['a path of a share', String.raw`filename="\\server\new\plan.txt"`, String.raw`\\server\new\plan.txt`],
    ['escaped spaces (Crystal)', String.raw`filename="Offer\ 7\ final.md"`, 'Offer 7 final.md'],
    ['escaped quotes and backslashes', String.raw`filename="a\"b\\c.md"`, String.raw`a"b\c.md`],
    ['octal escapes (Emacs)', String.raw`filename="Gr\303\266\303\237e 7.md"`, 'Gr303266303237e 7.md'],
    ['UTF-8', 'filename="Größe 日本.md"', 'Größe 日本.md'],
    ['percent signs for UTF-8 (aiohttp)', 'filename="Gr%C3%B6%C3%9Fe%20100%.md"', 'Größe 100%.md'],
    ['percent signs for ASCII (browsers)', 'filename="a%22b%0D%0A.md"', 'a%22b%0D%0A.md'],
    ['percent signs for no UTF-8', 'filename="Gr%F6%DFe %C3%9F.md"', 'Gr%F6%DFe %C3%9F.md'],
    ['percent signs beside letters that are not ASCII', 'filename="ß%C3%9F.md"', 'ß%C3%9F.md'],
    ['an encoded word (Spring 4.3, Indy)', 'filename="=?UTF-8?Q?Gr=C3=B6=C3=9Fe_7.md?="', 'Größe 7.md'],
    ['an encoded word in base64 (.NET)', 'filename="=?utf-8?B?R3LDtsOfZS5tZA==?="', 'Größe.md'],
    ['encoded words in a row', 'filename="=?iso-8859-1*de?q?Gr=F6?= =?utf-8?q?=C3=9Fe?= 7.md"', 'Größe 7.md'],
    ['an encoded word of an unknown charset', 'filename="=?klingon?Q?a?= b.md"', '=?klingon?Q?a?= b.md'],
    ['an encoded word that does not fit', 'filename="=?utf-8?Q?=F6?="', '=?utf-8?Q?=F6?='],
    ['filename*', `filename="a.md"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.md`, 'Größe.md'],
    ['filename* with a lone percent sign (libsoup)', `filename*=UTF-8''Gr%C3%B6%20100%.md`, 'Grö 100%.md'],
    ['filename* in another charset', `filename*=iso-8859-1'de'Gr%F6%DFe%20%80.md`, 'Größe €.md'],
    ['filename* in quotes, with raw bytes', `filename*="utf-8''Größe.md"`, 'Größe.md'],
    ['a filename* that cannot be read', `filename="a.md"; filename*=UTF-8''%F6.md`, 'a.md'],
    ['a filename* of an unknown charset', `filename="a.md"; filename*=klingon''a`, 'a.md'],
    ['an empty filename*', `filename="a.md"; filename*=UTF-8''`, 'a.md'],
  ])('may be %s', (_, parameters, expected) => {
    expect(fileName(parameters)).toBe(expected)
  })

  it.each([
    ['of Windows, if none is declared', null, 'Größe €’.md'],
    ['that the form declares', 'iso-8859-15', 'Größe \u0080\u0092.md'],
    ['that the form declares, in Cyrillic', 'koi8-r', 'GrЖъe ─▓.md'],
    ['of Windows, if the declared one is unknown', 'klingon', 'Größe €’.md'],
    ['of Windows, if the bytes do not fit into the declared one', 'utf-8', 'Größe €’.md'],
    ['of Windows, if the declared one cannot be that of a header', 'utf-16le', 'Größe €’.md'],
  ])('may have bytes in the charset %s', (_, charset, expected) => {
    expect(fileName(Buffer.from('filename="Größe \x80\x92.md"', 'latin1'), charset)).toBe(expected)
  })

  it.each([
    "filename*=UTF-8''%F6.md",
    "filename*=klingon''a.md",
    'filename*=a.md',
    "filename*0=a; filename*1='b.md'",
  ])('is refused by name if it is only %s', (parameters) => {
    expect(fileName(parameters)).toMatch(/^A part has a filename\* that cannot be read: write it as UTF-8''/)
  })
})

describe('the encoding of a part', () => {
  const disposition = { 'content-disposition': ['form-data; name=a'] }
  const encoding = (...values: string[]) =>
    readPartHeader({ ...disposition, 'content-transfer-encoding': values }, null).encoding

  it.each(['7bit', '8bit', 'binary', ' Binary ', '', 'BINARY\t'])('means nothing as %j', (value) => {
    expect(encoding(value)).toBeNull()
  })

  it('is read in any case, with white space around', () => {
    expect([encoding('Base64 '), encoding('\tQUOTED-printable')]).toEqual(['base64', 'quoted-printable'])
    expect(encoding('base64', 'base64')).toBe('base64')
  })

  it.each([['x-uuencode'], ['base64', 'binary']])(
    'is refused by name if it is another one: %j',
    (...values) => {
      expect(() => encoding(...values)).toThrow(
        `A part has the unknown Content-Transfer-Encoding "${values.join(', ')}": send its bytes as they are.`,
      )
    },
  )
})

it.each<[string, (length: number) => string]>([
  ['spaces', (length) => `form-data; name="a"${' '.repeat(length)}x`],
  ['spaces after a semicolon', (length) => `form-data; name="a";${' '.repeat(length)}"`],
  ['spaces around an equals sign', (length) => `form-data; a${' '.repeat(length)}b`],
  ['an open quote', (length) => `form-data; name="${String.raw`\"`.repeat(length / 2)}`],
  ['a name without a value', (length) => `form-data; ${'a'.repeat(length)}`],
  [
    'many parameters',
    (length) => `form-data${Array.from({ length: length / 8 }, (_, n) => `; a${n}=b`).join('')} "`,
  ],
])('visits each character at most a few times: %s', (_what, disposition) => {
  const looks = (length: number) => {
    const charAt = vi.spyOn(String.prototype, 'charAt')
    try {
      expect(read(disposition(length))).toBe(INVALID)
      return charAt.mock.calls.length
    } finally {
      charAt.mockRestore()
    }
  }
  for (const length of [1000, 8000]) expect(looks(length)).toBeLessThan(4 * disposition(length).length)
})
