import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkDocx, DOCX_BOUNDS } from '../src/files/docx-check.ts'
import { openTemporaryFile } from '../src/files/temporary-file.ts'
import { IntegrationError } from '../src/lib/errors.ts'
import { CONTENT_TYPES, contentTypesWith, DOCX_ENTRIES, docx, type ZipEntry, zip } from './docx-samples.ts'

/** The detail of the refusal of a file; null if accepted. */
async function faultOf(bytes: Uint8Array): Promise<string | null> {
  const file = await openTemporaryFile()
  try {
    await file.write(bytes)
    await checkDocx(file, (allowed) => new IntegrationError('VALIDATION_FAILED', allowed))
    return null
  } catch (error) {
    if (error instanceof IntegrationError) return error.message
    throw error
  } finally {
    await file.close()
  }
}

const NO_WORD_DOCUMENT = 'must be a Word document (.docx)'
const BROKEN = 'must be a complete and well-formed Word document (.docx)'
const POINTS_OUTSIDE = 'must not contain entries with paths outside the archive'

describe('a Word document', () => {
  it('is accepted', async () => {
    expect(await faultOf(docx())).toBeNull()
  })

  it('may contain pictures, embedded sheets and stored entries', async () => {
    const more: ZipEntry[] = [
      { name: 'word/media/image1.png', data: randomBytes(300_000), method: 0 },
      { name: 'word/embeddings/Microsoft_Excel_Sheet.xlsx', data: zip([{ name: 'xl/workbook.xml' }]) },
      { name: 'word/empty/', data: '' },
    ]
    expect(await faultOf(docx(more))).toBeNull()
  })

  it('may be as repetitive as real documents', async () => {
    const rows = '<w:tr><w:tc><w:p><w:r><w:t>0</w:t></w:r></w:p></w:tc></w:tr>'.repeat(150_000)
    expect(rows.length).toBeLessThan(DOCX_BOUNDS.ratioAbove)
    expect(await faultOf(docx([{ name: 'word/footnotes.xml', data: rows }]))).toBeNull()
  })

  it('may name its main part freely, also by a default, with prefixes and in any case', async () => {
    const contentTypes = `<?xml version="1.0"?><t:Types xmlns:t="http://schemas.openxmlformats.org/package/2006/content-types">
      <t:Default Extension="XML" ContentType='application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'/></t:Types>`
    const document = zip([
      { name: '[Content_Types].xml', data: contentTypes },
      { name: 'word/Document2.xml' },
    ])
    expect(await faultOf(document)).toBeNull()
  })
})

describe('refused as a Word document:', () => {
  it('a zip of other things', async () => {
    expect(await faultOf(zip([{ name: 'readme.txt', data: 'hello' }]))).toBe(NO_WORD_DOCUMENT)
  })

  it('an Excel sheet', async () => {
    const contentTypes = CONTENT_TYPES.replaceAll('wordprocessingml.document', 'spreadsheetml.sheet')
    expect(await faultOf(docx([], { contentTypes }))).toBe(NO_WORD_DOCUMENT)
  })

  it('a list of content types whose main part is missing', async () => {
    const entries = DOCX_ENTRIES.filter(({ name }) => name !== 'word/document.xml')
    expect(await faultOf(zip(entries))).toBe(NO_WORD_DOCUMENT)
  })

  it('a main part named only in a comment', async () => {
    const contentTypes = CONTENT_TYPES.replace(
      /<Override PartName="\/word\/document.xml"[^>]*>/,
      '<!-- $& -->',
    )
    expect(await faultOf(docx([], { contentTypes }))).toBe(NO_WORD_DOCUMENT)
  })

  it.each([
    ['a program', Buffer.concat([Buffer.from('MZ'), randomBytes(2000)])],
    ['a program with a document after it', Buffer.concat([Buffer.from('MZ\x90\0\0\0\0\0'), docx()])],
    ['text', Buffer.from('Customers sign in and see their invoices.')],
    ['less than a header', Buffer.from('PK')],
  ])('%s', async (_what, bytes) => {
    expect(await faultOf(bytes)).toBe(NO_WORD_DOCUMENT)
  })

  it('an encrypted document or a .doc, which share a container', async () => {
    const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), randomBytes(2000)])
    expect(await faultOf(ole)).toBe('must be an unencrypted .docx, not a .doc')
  })

  it.each([
    ['in both headers', { flags: 0x0801 }],
    ['in the directory only', { flags: 0x0801, localFlags: 0x0800 }],
    ['in the local header only', { localFlags: 0x0801 }],
  ])('an encrypted entry, %s', async (_how, flags) => {
    expect(await faultOf(docx([{ name: 'word/comments.xml', data: 'secret', ...flags }]))).toBe(
      'must not be encrypted',
    )
  })

  it.each([
    ['a macro project', docx([{ name: 'word/vbaProject.bin', data: 'x' }])],
    ['a macro project in another case', docx([{ name: 'WORD/VBAPROJECT.BIN', data: 'x' }])],
    ['a sheet with macros embedded', docx([{ name: 'word/embeddings/Sheet.xlsm', data: 'x' }])],
    [
      'a document with macros under another extension',
      docx([], {
        contentTypes: CONTENT_TYPES.replace(
          'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
          'application/vnd.ms-word.document.macroEnabled.main+xml',
        ),
      }),
    ],
    [
      'a macro project under another name',
      docx([{ name: 'word/data.bin', data: 'x' }], {
        contentTypes: contentTypesWith(
          '<Override PartName="/word/data.bin" ContentType="application/vnd.ms-office.vba&#80;roject"/>',
        ),
      }),
    ],
  ])('%s', async (_what, bytes) => {
    expect(await faultOf(bytes)).toBe('must not contain macros')
  })

  it.each(['../evil.xml', 'word/../../evil.xml', '/etc/passwd', 'C:/evil.exe', 'word\\..\\evil.xml', 'a\0b'])(
    'an entry named %j',
    async (name) => {
      expect(await faultOf(docx([{ name, data: 'x' }]))).toBe(POINTS_OUTSIDE)
    },
  )

  it('a symbolic link', async () => {
    const link = { name: 'word/link', data: '/etc/passwd', externalAttributes: 0o120777 * 0x10000 }
    expect(await faultOf(docx([link]))).toBe(POINTS_OUTSIDE)
  })

  it('an entry with a second name', async () => {
    const extra = Buffer.concat([Buffer.from([0x75, 0x70, 9, 0, 1]), Buffer.alloc(4), Buffer.from('evil')])
    expect(await faultOf(docx([{ name: 'word/a.xml', data: 'x', extra }]))).toBe(POINTS_OUTSIDE)
  })

  it('an entry whose local header has another name', async () => {
    const entry = { name: 'word/a.xml', localName: '../evil.xm', data: 'x' }
    expect(await faultOf(docx([entry]))).toBe(BROKEN)
  })

  it('two entries with the same name', async () => {
    expect(await faultOf(docx([{ name: 'Word/Document.XML', data: 'other' }]))).toBe(BROKEN)
  })

  it('too many entries according to the directory, unread', async () => {
    expect(await faultOf(zip(DOCX_ENTRIES, { entryCount: DOCX_BOUNDS.entries + 1 }))).toBe(
      'must contain at most 2000 entries',
    )
  })

  it('too many entries', async () => {
    const many = Array.from({ length: DOCX_BOUNDS.entries }, (_, index) => ({ name: `word/${index}.xml` }))
    expect(await faultOf(docx(many))).toBe('must contain at most 2000 entries')
  })

  const INFLATES_TOO_FAR = 'must decompress to at most 100 MiB, and to at most 100 times its size'

  it('a small file with a high compression ratio', async () => {
    const bomb = docx([{ name: 'word/bomb.xml', data: Buffer.alloc(DOCX_BOUNDS.ratioAbove) }])
    expect(bomb.length).toBeLessThan(50_000)
    expect(await faultOf(bomb)).toBe(INFLATES_TOO_FAR)
  })

  it('a file that decompresses beyond the limit, whatever its size', async () => {
    const noise = { name: 'word/noise.bin', data: randomBytes(2 * 1024 * 1024), method: 0 }
    const bomb = docx([noise, { name: 'word/bomb.xml', data: Buffer.alloc(DOCX_BOUNDS.inflatedBytes) }])
    expect(await faultOf(bomb)).toBe(INFLATES_TOO_FAR)
  })

  it('a bomb whose headers claim a small size', async () => {
    const data = Buffer.alloc(DOCX_BOUNDS.inflatedBytes)
    expect(await faultOf(docx([{ name: 'word/bomb.xml', data, declaredSize: 1000 }]))).toBe(BROKEN)
  })

  it('entries that share bytes', async () => {
    const offset = docx([{ name: 'word/a.bin' }]).indexOf('word/a.bin') - 30
    const again = { name: 'word/b.bin', offset }
    expect(await faultOf(docx([{ name: 'word/a.bin' }, again]))).toBe(BROKEN)
  })

  it.each([
    ['a document type declaration', CONTENT_TYPES.replace('?>', '?><!DOCTYPE Types [<!ENTITY a "b">]>')],
    ['broken XML', CONTENT_TYPES.replace('</Types>', '')],
    ['no XML', 'hello'],
    ['UTF-16', Buffer.from(`\uFEFF${CONTENT_TYPES}`, 'utf16le').toString('latin1')],
    ['more than a megabyte', contentTypesWith(' '.repeat(DOCX_BOUNDS.contentTypesBytes))],
  ])('a list of content types with %s', async (_what, contentTypes) => {
    expect(await faultOf(docx([], { contentTypes }))).toBe(BROKEN)
  })

  it('a truncated file', async () => {
    const whole = docx()
    expect(await faultOf(whole.subarray(0, whole.length - 30))).toBe(BROKEN)
  })

  it('an unsupported compression method', async () => {
    expect(await faultOf(docx([{ name: 'word/a.xml', data: 'x', method: 14 }]))).toBe(BROKEN)
  })
})
