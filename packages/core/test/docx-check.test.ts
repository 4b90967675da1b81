import { randomBytes } from 'node:crypto'
import {
  CONTENT_TYPES,
  contentTypesWith,
  DOCX_ENTRIES,
  docx,
  mainPartWith,
  RELATIONSHIPS,
  type ZipEntry,
  zip,
} from '@quickquote/dev-servers/docx-samples'
import { HOSTILE_MAIN_PARTS } from '@quickquote/dev-servers/hostile-documents'
import { describe, expect, it } from 'vitest'
import { checkDocx, DOCX_BOUNDS } from '../src/files/docx-check.ts'
import { openTemporaryFile } from '../src/files/temporary-file.ts'
import { IntegrationError } from '../src/lib/errors.ts'

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
const SAVE_AGAIN = 'save it again in Word or LibreOffice'
const INCOMPLETE = `must be complete: the end of its zip is missing, or more than 512 bytes follow it; send the file unchanged, or ${SAVE_AGAIN}`
const NO_MAIN_PART = `must have a _rels/.rels that leads to its main part: ${SAVE_AGAIN}`
const MALFORMED =
  'must have a main part of well-formed XML: where a program fills it, escape & and <, and leave out control characters'
const MACROS =
  'must not contain macros: remove them in Word, or save it as .docx there (LibreOffice keeps the macros of a .docm)'
const LONG_TAG = `<w:p o:gfxdata="${'x'.repeat(500_000)}"/>`
/** In front of its last byte. */
const AT_END_OF_TURN = 'x'.repeat(16 * 1024 - 1 - mainPartWith('').indexOf('</'))
const MAIN_PART = mainPartWith('<w:p/>')

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

  it('may be as repetitive as real documents: a table of many rows, flat screenshots', async () => {
    const rows = '<w:tr><w:tc><w:p><w:r><w:t>0</w:t></w:r></w:p></w:tc></w:tr>'.repeat(30_000)
    const more = [
      { name: 'word/footnotes.xml', data: rows },
      { name: 'word/media/flat.bmp', data: Buffer.alloc(DOCX_BOUNDS.ratioAbove - 2 * rows.length - 10_000) },
    ]
    const document = docx(more, { mainPart: mainPartWith(rows) })
    expect(document.length).toBeLessThan(DOCX_BOUNDS.ratioAbove / DOCX_BOUNDS.ratio)
    expect(await faultOf(document)).toBeNull()
  })

  it('may name its main part freely, also by a default, with prefixes and in any case', async () => {
    const contentTypes = `<?xml version="1.0"?><t:Types xmlns:t="http://schemas.openxmlformats.org/package/2006/content-types">
      <t:Default Extension="XML" ContentType='application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'/></t:Types>`
    const relationships = RELATIONSHIPS.replace('word/document.xml', '/WORD/./Gr%C3%B6%C3%9Fe%202.xml')
      .replaceAll(/(Relationships?) /g, 'r:$1 ')
      .replaceAll(/xmlns=/g, 'xmlns:r=')
      .replace('</', '</r:')
    const document = zip([
      { name: '[Content_Types].xml', data: contentTypes },
      { name: '_rels/.rels', data: relationships },
      { name: 'word/Größe 2.xml', data: MAIN_PART },
    ])
    expect(await faultOf(document)).toBeNull()
  })

  it.each([
    ['a line end', '\n'],
    ['512 bytes', '\0'.repeat(512)],
  ])('may have bytes behind its end: %s', async (_, behind) => {
    expect(await faultOf(Buffer.concat([docx(), Buffer.from(behind)]))).toBeNull()
  })

  it('may have a comment as long as a zip can have, and bytes behind that', async () => {
    const document = docx()
    document.writeUInt16LE(0xffff, document.length - 2)
    expect(await faultOf(Buffer.concat([document, Buffer.alloc(0xffff + 512, 'x')]))).toBeNull()
  })

  it('may have its names twice, as JSZip writes them, also beside code page 437', async () => {
    const nameField = (name: string) => {
      const field = Buffer.concat([Buffer.from([0x75, 0x70, 0, 0, 1]), Buffer.alloc(4), Buffer.from(name)])
      field.writeUInt16LE(field.length - 4, 2)
      return field
    }
    const more: ZipEntry[] = [
      { name: 'word/größe.xml', extra: nameField('word/größe.xml') },
      { name: 'word/gr\x94\xe1e.xml', encoding: 'latin1', flags: 0, extra: nameField('word/größe.xml') },
    ]
    expect(await faultOf(docx(more))).toBeNull()
  })

  it('may have a folder twice', async () => {
    expect(await faultOf(docx([{ name: 'word/' }, { name: 'word/' }]))).toBeNull()
  })

  it('may declare types of macros for parts that it does not have', async () => {
    const contentTypes = contentTypesWith(
      '<Default Extension="xlsm" ContentType="application/vnd.ms-excel.sheet.macroEnabled.12"/><Override PartName="/word/vbaProject.bin" ContentType="application/vnd.ms-office.vbaProject"/>',
    )
    expect(await faultOf(docx([], { contentTypes }))).toBeNull()
  })

  it.each([
    [
      'strict',
      MAIN_PART.replace(/http:[^"]*main/, 'http://purl.oclc.org/ooxml/wordprocessingml/main'),
      RELATIONSHIPS.replace(
        'http://schemas.openxmlformats.org/officeDocument/2006',
        'http://purl.oclc.org/ooxml/officeDocument',
      ),
    ],
    ['without a prefix', MAIN_PART.replace('xmlns:w', 'xmlns').replaceAll('w:', '')],
    ['without a declaration', MAIN_PART.slice(MAIN_PART.indexOf('<w:'))],
    ['with one that names no encoding', MAIN_PART.replace(' encoding="UTF-8"', '')],
    ['in UTF-8 with a byte order mark', `\uFEFF${MAIN_PART}`],
    ['in UTF-16', Buffer.from(`\uFEFF${MAIN_PART.replace('UTF-8', 'utf-16')}`, 'utf16le')],
    ['in UTF-16, the other way round', Buffer.from(`\uFEFF${MAIN_PART}`, 'utf16le').swap16()],
    ['in UTF-16, without a byte order mark', Buffer.from(MAIN_PART, 'utf16le')],
    ['with an altChunk alone', mainPartWith('<w:altChunk r:id="rId1"/>')],
    ['with a text of a megabyte', mainPartWith(`<w:t>${'R&amp;D, '.repeat(150_000)}</w:t>`)],
    [
      'with comments, instructions and sections',
      mainPartWith('<!-- < & --><?a <b ?><w:t><![CDATA[R&D <b>]]></w:t>'),
    ],
    ['with an attribute of half a megabyte', mainPartWith(LONG_TAG)],
    ['with one whose tag begins at the end of a turn', mainPartWith(AT_END_OF_TURN + LONG_TAG)],
    [
      'with tables inside each other',
      mainPartWith('<w:tbl><w:tr><w:tc>'.repeat(60) + '</w:tc></w:tr></w:tbl>'.repeat(60)),
    ],
  ])('may have a main part %s', async (_, mainPart, relationships = RELATIONSHIPS) => {
    expect(await faultOf(docx([], { mainPart, relationships }))).toBeNull()
  })

  it('may have the parts that describe it in UTF-16', async () => {
    const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')
    const document = docx([], { contentTypes: utf16(CONTENT_TYPES), relationships: utf16(RELATIONSHIPS) })
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
    expect(await faultOf(bytes)).toBe(MACROS)
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
    expect(await faultOf(docx([{ name: 'word/a.xml', data: 'x', extra }]))).toBe(
      `must not contain an entry with a second, different name: ${SAVE_AGAIN}`,
    )
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

  const INFLATES_TOO_FAR =
    'must decompress to at most 100 MiB, and above 50 MiB to at most 100 times its size'

  it('a small file with a high compression ratio', async () => {
    const bomb = docx([{ name: 'word/bomb.xml', data: Buffer.alloc(DOCX_BOUNDS.ratioAbove) }])
    expect(bomb.length).toBeLessThan(DOCX_BOUNDS.ratioAbove / DOCX_BOUNDS.ratio)
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
    ['another encoding', CONTENT_TYPES.replace('UTF-8', 'ISO-8859-1')],
    ['XML 1.1', CONTENT_TYPES.replace('1.0', '1.1')],
    ['half a character', Buffer.from(`\uFEFF${CONTENT_TYPES}`, 'utf16le').subarray(0, -1)],
    ['more than a megabyte', contentTypesWith(' '.repeat(DOCX_BOUNDS.packageXmlBytes))],
  ])('a list of content types with %s', async (_what, contentTypes) => {
    expect(await faultOf(docx([], { contentTypes }))).toBe(BROKEN)
  })

  it.each([
    ['cut anywhere', docx().subarray(0, -30)],
    ['cut within its end', docx().subarray(0, -1)],
    ['with 513 bytes behind its end', Buffer.concat([docx(), Buffer.alloc(513)])],
    ['with many bytes behind its end', Buffer.concat([docx(), Buffer.alloc(100_000)])],
  ])('a file %s', async (_, bytes) => {
    expect(await faultOf(bytes)).toBe(INCOMPLETE)
  })

  it('a compression that Word does not use', async () => {
    expect(await faultOf(docx([{ name: 'word/a.xml', data: 'x', method: 14 }]))).toBe(
      `must be compressed by deflate, which Word uses: ${SAVE_AGAIN}`,
    )
  })

  it.each([0, 8])('an entry with a wrong checksum, with method %d', async (method) => {
    expect(await faultOf(docx([{ name: 'word/a.xml', data: 'x', method, checksum: 1 }]))).toBe(
      'must be undamaged: a checksum in it is wrong; send the original file again',
    )
  })

  it('a template', async () => {
    const contentTypes = CONTENT_TYPES.replace('document.main+xml', 'template.main+xml')
    expect(await faultOf(docx([], { contentTypes }))).toBe(
      'must be a document, not a template: open it in Word and save it as .docx',
    )
  })

  it.each([
    ['are missing', zip(DOCX_ENTRIES.filter(({ name }) => name !== '_rels/.rels'))],
    ['are empty', docx([], { relationships: RELATIONSHIPS.replace(/<Relationship [^>]*>/, '') })],
    [
      'lead to another part',
      docx([], { relationships: RELATIONSHIPS.replace('document.xml', 'styles.xml') }),
    ],
    ['lead to a missing part', docx([], { relationships: RELATIONSHIPS.replace('document.xml', 'a.xml') })],
    [
      'lead out of the file',
      docx([], { relationships: RELATIONSHIPS.replace('Target=', 'TargetMode="External" Target=') }),
    ],
    [
      'are of another namespace',
      docx([], { relationships: RELATIONSHIPS.replace('package/2006', 'package/2007') }),
    ],
    [
      'are of another type',
      docx([], { relationships: RELATIONSHIPS.replace('/officeDocument"', '/image"') }),
    ],
  ])('one whose relationships %s', async (_, bytes) => {
    expect(await faultOf(bytes)).toBe(NO_MAIN_PART)
  })

  it.each([
    ['empty', ''],
    ['cut', MAIN_PART.slice(0, -1)],
    ['text', 'Customers sign in.'],
    ['with R&D <b> in its text (PHPWord)', mainPartWith('<w:t>R&D <b></w:t>')],
    ['with an entity of HTML', mainPartWith('<w:t>&nbsp;</w:t>')],
    ['with a vertical tab (template engines)', mainPartWith('<w:t>a\vb</w:t>')],
    ['with a lone surrogate', mainPartWith('<w:t>&#xD800;</w:t>')],
    ['with an attribute twice', mainPartWith('<w:p a="" a=""/>')],
    ['of two roots', `${MAIN_PART}<a/>`],
    ['with a document type declaration', MAIN_PART.replace('?>', '?><!DOCTYPE a>')],
    ['in Latin-1', Buffer.from(MAIN_PART.replace('UTF-8', 'ISO-8859-1').replace('<w:p/>', 'ä'), 'latin1')],
    ['in UTF-8 with a wrong byte', Buffer.from(MAIN_PART.replace('<w:p/>', 'ä'), 'latin1')],
    ['that claims to be Latin-1', MAIN_PART.replace('UTF-8', 'ISO-8859-1')],
    ['in XML 1.1', MAIN_PART.replace('1.0', '1.1')],
  ])('a main part %s', async (_, mainPart) => {
    expect(await faultOf(docx([], { mainPart }))).toBe(MALFORMED)
  })

  it.each([
    ['HTML', '<html/>'],
    ['of Word 2003', MAIN_PART.replace('2006/main', '2003/main')],
    ['of Excel', MAIN_PART.replace('wordprocessingml', 'spreadsheetml')],
    ['with another root', MAIN_PART.replaceAll('w:document', 'w:styles')],
    ['with an undeclared prefix', MAIN_PART.replace('xmlns:w', 'xmlns:v')],
    [
      'with the document inside another element',
      `<a xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:document/></a>`,
    ],
  ])('a main part %s, because it is well-formed but not Word', async (_, mainPart) => {
    expect(await faultOf(docx([], { mainPart }))).toBe(NO_WORD_DOCUMENT)
  })

  it.each(Object.entries(HOSTILE_MAIN_PARTS).filter(([, { isRefused }]) => isRefused))(
    'a main part of %s, before it takes much time or memory',
    async (_, { bytes }) => {
      expect(await faultOf(docx([], { mainPart: bytes() }))).toBe(MALFORMED)
    },
  )
})
