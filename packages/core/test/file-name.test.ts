import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileExtension, sanitizeFileName } from '../src/files/file-name.ts'

describe('the name of a file', () => {
  it.each([
    ['Requirements v2 (final).docx', 'Requirements v2 (final).docx'],
    ['Anforderungen Müller & Söhne.pdf', 'Anforderungen Müller & Söhne.pdf'],
    ['要件定義書.docx', '要件定義書.docx'],
    ['می‌خواهم.txt', 'می‌خواهم.txt'],
    ['👩‍💻.md', '👩‍💻.md'],
  ])('is unchanged if safe: %j', (given, expected) => {
    expect(sanitizeFileName(given)).toBe(expected)
  })

  it.each([
    ['../../etc/passwd.txt', 'passwd.txt'],
    ['/etc/cron.d/job.txt', 'job.txt'],
    ['C:\\Users\\me\\plan.pdf', 'plan.pdf'],
    ['\\\\server\\share\\plan.pdf', 'plan.pdf'],
    ['..\\..\\plan.pdf', '.._.._plan.pdf'],
    ['a\\b.pdf', 'a_b.pdf'],
    ['plan.pdf:evil.exe', 'plan.pdf_evil.exe'],
    ['a.txt\r\nX-Evil: 1', 'a.txtX-Evil_ 1'],
    ['a\0b.txt', 'ab.txt'],
    ['a\u2028b\u0085c\u007f.txt', 'abc.txt'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['\u2066\u200F\u061Ca\u2069.pdf', 'a.pdf'],
    ['\uFEFFa.pdf', 'a.pdf'],
    ['a\uD800.pdf', 'a.pdf'],
    ['<script>"|?*.md', '_script_____.md'],
    ['e\u0301.txt', 'é.txt'],
    ['e\u200e\u0301.txt', 'é.txt'],
    ['con.txt', '_con.txt'],
    ['LPT1', '_LPT1'],
    ['aux .docx', '_aux .docx'],
    ['a.txt. . ', 'a.txt'],
    ['.pdf', 'file.pdf'],
    [' . .pdf', 'file.pdf'],
    ['..', 'file'],
    ['', 'file'],
    ['dir/', 'file'],
  ])('is made safe: %j', (given, expected) => {
    expect(sanitizeFileName(given)).toBe(expected)
  })

  it('has at most 200 characters, and keeps its extension', () => {
    const name = sanitizeFileName(`${'a'.repeat(300)}.docx`)
    expect(name).toBe(`${'a'.repeat(195)}.docx`)
  })

  it('has at most 255 bytes, and is cut between characters', () => {
    expect(sanitizeFileName(`${'漢'.repeat(190)}.pdf`)).toBe(`${'漢'.repeat(83)}.pdf`)
    expect(sanitizeFileName(`${'🙂'.repeat(190)}.pdf`)).toBe(`${'🙂'.repeat(62)}.pdf`)
  })

  it('is safe for any input, and idempotent', () => {
    const anyName = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc
        .array(
          fc.constantFrom(
            'a',
            '.',
            ' ',
            '/',
            '\\',
            '..',
            'con',
            '\r\n',
            '\0',
            '\u202e',
            '漢',
            '\u0301',
            '.txt',
            '<',
            '\ud800',
          ),
          {
            maxLength: 300,
          },
        )
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(anyName, (given) => {
        const name = sanitizeFileName(given)
        expect(name).not.toMatch(/[\p{Cc}\p{Cs}/\\<>:"|?*\u202a-\u202e\u2066-\u2069]|^\.*$|[. ]$/u)
        expect([...name].length).toBeLessThanOrEqual(200)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
        expect(name).toBe(name.normalize('NFC'))
        expect(sanitizeFileName(name)).toBe(name)
      }),
      { numRuns: 2000 },
    )
  })

  it('has a lower-case extension', () => {
    expect(['a.PDF', 'a.tar.md', 'a', '.txt', 'a.b c'].map(fileExtension)).toEqual([
      'pdf',
      'md',
      '',
      'txt',
      '',
    ])
  })
})
