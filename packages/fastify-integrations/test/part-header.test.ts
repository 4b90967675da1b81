import { expect, it, vi } from 'vitest'
import { readPartHeader } from '../src/bodies/part-header.ts'

const read = (disposition: string) => readPartHeader({ 'content-disposition': [disposition] })

it.each<[string, ReturnType<typeof readPartHeader>]>([
  ['form-data; name=a', { name: 'a', fileName: null }],
  ['form-data;name="a";', { name: 'a', fileName: null }],
  ['form-data; name="a" ; filename = "b.txt" ; ', { name: 'a', fileName: 'b.txt' }],
  ['Form-Data; Name="a"; FILENAME=b c.txt ;x=1', { name: 'a', fileName: 'b c.txt' }],
  [
    String.raw`form-data; name="a"; filename="C:\d\"e\\f.txt"`,
    { name: 'a', fileName: String.raw`C:\d"e\f.txt` },
  ],
  ['form-data; name=""; filename=""', { name: '', fileName: '' }],
  [`form-data; name="a"; filename="b"; filename*=utf-8'de'%C3%BC`, { name: 'a', fileName: 'ü' }],
  ['form-data', null],
  ['form-data; filename="b"', null],
  ['form-data; name', null],
  ['form-data; name=', null],
  ['form-data; name=;', null],
  ['form-data; =a', null],
  ['form-data; ; name=a', null],
  ['form-data; name="a', null],
  [String.raw`form-data; name="a\"`, null],
  ['form-data; name="a"b', null],
  ['form-data; name=a; name=b', null],
  ['form-data; name="a" x', null],
  ['form-dataname=a', null],
  ['attachment; name=a', null],
])('reads %s', (disposition, header) => {
  expect(read(disposition)).toEqual(header)
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
      expect(read(disposition(length))).toBeNull()
      return charAt.mock.calls.length
    } finally {
      charAt.mockRestore()
    }
  }
  for (const length of [1000, 8000]) expect(looks(length)).toBeLessThan(4 * disposition(length).length)
})
