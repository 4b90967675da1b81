import { randomBytes } from 'node:crypto'
import { CONTENT_TYPES, contentTypesWith, docx, mainPartWith, type ZipEntry, zip } from './docx-samples.ts'

const MIB = 1024 * 1024
/** As much as a list of content types may have. */
const XML_SIZE = MIB - CONTENT_TYPES.length

function listOf(element: string, size = XML_SIZE): string {
  return element.repeat(Math.floor(size / element.length))
}

/** Elements inside each other, as many as fit. */
function nested(start: string, end: string): string {
  const depth = Math.floor(XML_SIZE / (start.length + end.length))
  return start.repeat(depth) + end.repeat(depth)
}

function attributes(write: (index: number) => string): string {
  let text = ''
  for (let index = 0; text.length < XML_SIZE - 100; index += 1) text += ` ${write(index)}`
  return text
}

/** Prefixes that the root declares, and as many elements below it that use others of them. */
function declarations(): string {
  const half = Array.from({ length: 15_000 }, (_, index) => `xmlns:p${index}="u"`).join(' ')
  const uses = Array.from({ length: 15_000 }, (_, index) => `<p${index}:a>`).join('')
  return contentTypesWith(`<x ${half}>${uses}`)
}

/** What `[Content_Types].xml` may be, up to a megabyte, to keep its reader busy. */
export const HOSTILE_XML: Readonly<Record<string, string>> = {
  'elements inside each other': contentTypesWith(nested('<a>', '</a>')),
  'prefixed elements inside each other': CONTENT_TYPES.replace('<Types', '<Types xmlns:p="u"').replace(
    '</Types>',
    `${nested('<p:a>', '</p:a>')}</Types>`,
  ),
  'prefixed attributes deep inside': CONTENT_TYPES.replace('<Types', '<Types xmlns:p="u"').replace(
    '</Types>',
    `${nested('<a p:b="" p:c="">', '</a>')}</Types>`,
  ),
  'more and more namespaces': contentTypesWith(nested('<a xmlns:p="u">', '</a>')),
  'many namespaces': declarations(),
  'many elements': contentTypesWith(listOf('<a/>')),
  'many types': contentTypesWith(listOf('<Default Extension="a" ContentType="macro"/>')),
  'many different types': contentTypesWith(
    Array.from(
      { length: 19_000 },
      (_, index) => `<Default Extension="${index}" ContentType="macroEnable"/>`,
    ).join(''),
  ),
  'many attributes': contentTypesWith(`<a${attributes((index) => `a${index}=""`)}/>`),
  'many prefixed attributes': contentTypesWith(`<a xmlns:p="u"${attributes((index) => `p:a${index}=""`)}/>`),
  'a long name': contentTypesWith(`<${'a'.repeat(XML_SIZE - 10)}/>`),
  'a long prefix': contentTypesWith(`<${'a'.repeat(XML_SIZE - 20)}:b/>`),
  'a name of colons': contentTypesWith(`<a${':'.repeat(XML_SIZE - 20)}/>`),
  'a long attribute': contentTypesWith(`<a b="${'x'.repeat(XML_SIZE - 20)}"/>`),
  'a long type': contentTypesWith(
    `<Default Extension="a" ContentType="${listOf('macroEnable', XML_SIZE - 100)}"/>`,
  ),
  'an attribute of spaces': contentTypesWith(`<a b="${' \t\n'.repeat(XML_SIZE / 3 - 10)}"/>`),
  'spaces in an element': contentTypesWith(`<a${' '.repeat(XML_SIZE - 20)}/>`),
  'many references': contentTypesWith(listOf('&#80;')),
  'a long reference': contentTypesWith(`&${'a'.repeat(XML_SIZE - 10)};`),
  'a reference that does not end': contentTypesWith('&').replace('</Types>', '').padEnd(MIB, 'a'),
  'a long comment': contentTypesWith(`<!--${listOf('- -', XML_SIZE - 20)}-->`),
  'many comments': contentTypesWith(listOf('<!---->')),
  'a long instruction': contentTypesWith(`<?a ${'?'.repeat(XML_SIZE - 20)}?>`),
  'a long section': contentTypesWith(`<![CDATA[${']'.repeat(XML_SIZE - 30)}]]>`),
  brackets: contentTypesWith(listOf(']')),
  'a long document type': CONTENT_TYPES.replace(
    '?>',
    `?><!DOCTYPE Types [${listOf('<!ENTITY a "b">', XML_SIZE - 40)}]>`,
  ),
  'characters of four bytes': contentTypesWith(listOf('𝒳', XML_SIZE / 2)),
  'line ends': contentTypesWith(listOf('\r')),
}

/** Less than may come out at any ratio. */
const MAIN_PART_SIZE = 8 * MIB

/** A main part that is filled with this, in front of its end or without one. */
function filled(
  unit: string,
  {
    begin = mainPartWith('').split('</')[0] ?? '',
    end = '</w:body></w:document>',
    length = MAIN_PART_SIZE,
  } = {},
) {
  return () => {
    const size = length - begin.length - end.length
    const body = Buffer.alloc(size - (size % Buffer.byteLength(unit)), unit)
    return Buffer.concat([Buffer.from(begin), body, Buffer.from(end)])
  }
}

const inBody = (begun: string) => ({ begin: `${mainPartWith('').split('</')[0]}${begun}`, end: '' })

/** What `word/document.xml` may be, to keep its reader busy or to fill its memory, and whether it is refused. */
export const HOSTILE_MAIN_PARTS: Readonly<Record<string, { bytes: () => Uint8Array; isRefused: boolean }>> = {
  'tiny elements': { bytes: filled('<a/>', { length: 20 * MIB }), isRefused: true },
  'elements inside each other': {
    bytes: () => Buffer.from(mainPartWith('<a>'.repeat(5000) + '</a>'.repeat(5000))),
    isRefused: true,
  },
  'a document type declaration': {
    bytes: () => Buffer.from(mainPartWith('').replace('?>', '?><!DOCTYPE a [<!ENTITY b "c">]>')),
    isRefused: true,
  },
  'a long document type declaration': {
    bytes: filled('<!ENTITY b "c">', { begin: '<!DOCTYPE a [', end: '' }),
    isRefused: true,
  },
  'many attributes': {
    bytes: () => Buffer.from(mainPartWith(`<a${attributes((index) => `a${index}=""`)}/>`)),
    isRefused: true,
  },
  'elements with attributes': { bytes: filled('<a b="" c="" d="" e="" f="" g="" h=""/>'), isRefused: false },
  paragraphs: {
    bytes: filled('<w:p><w:r><w:t>Customers sign in and see their invoices.</w:t></w:r></w:p>'),
    isRefused: false,
  },
  text: { bytes: filled('Customers sign in. '), isRefused: false },
  'references in text': { bytes: filled('&#80;'), isRefused: false },
  'line ends': { bytes: filled('\r'), isRefused: false },
  'line ends and letters': { bytes: filled('a\r\n'), isRefused: false },
  'brackets in text': { bytes: filled(']'), isRefused: false },
  'characters of four bytes': { bytes: filled('𝒳'), isRefused: false },
  'spaces behind its end': { bytes: filled(' ', { begin: mainPartWith(''), end: '' }), isRefused: false },
  'a long name': { bytes: filled('a', inBody('<')), isRefused: true },
  'a long name in its end': { bytes: filled('a', inBody('<a></')), isRefused: true },
  'a long attribute': { bytes: filled('a', inBody('<a b="')), isRefused: true },
  'references in an attribute': { bytes: filled('&#9;', inBody('<a b="')), isRefused: true },
  'a long comment': { bytes: filled('- <', inBody('<!--')), isRefused: true },
  'many comments': { bytes: filled('<!---->'), isRefused: true },
  'a long section': { bytes: filled(']', inBody('<![CDATA[')), isRefused: true },
  'a long instruction': { bytes: filled('? ', inBody('<?a ')), isRefused: true },
  'a reference that does not end': { bytes: filled('a', inBody('&')), isRefused: true },
}

/** A name that looks like that of macros again and again, and is none. */
const ALMOST_MACRO = `${'vbadata'.repeat(9000)}/x`

/** An extra field of 64 KiB, of empty fields. */
const EMPTY_FIELDS = Buffer.alloc(65_532, Buffer.from('efbe0000', 'hex'))

/** The same 9 MiB of compressed nothing, once for each of these entries. */
function sharedBytes(): Buffer {
  const nothing = Buffer.concat([
    Buffer.alloc(9 * MIB - ((9 * MIB) % 5), Buffer.from('000000ffff', 'hex')),
    Buffer.from([3, 0]),
  ])
  const names = Array.from({ length: 1000 }, (_, index) => `word/${String(index).padStart(4, '0')}.bin`)
  const header = 30 + 'word/0000.bin'.length
  return docx(
    names.map((name, index): ZipEntry => {
      const isLast = index === names.length - 1
      const after = (names.length - 1 - index) * header
      return {
        name,
        packed: isLast ? nothing : Buffer.alloc(0),
        packedSize: nothing.length,
        localExtraLength: after,
      }
    }),
  )
}

function withNames(count: number, nameOf: (index: number) => string): Buffer {
  return docx(Array.from({ length: count }, (_, index) => ({ name: nameOf(index) })))
}

/** Files of up to 10 MiB that keep their reader busy, by what they are. Each has its extension. */
export const HOSTILE_FILES: Readonly<
  Record<string, { readonly name: string; readonly bytes: () => Buffer }>
> = {
  'names that are almost those of macros': {
    name: 'a.docx',
    bytes: () => withNames(36, (index) => `${index}${ALMOST_MACRO}`),
  },
  'long names': { name: 'a.docx', bytes: () => withNames(75, (index) => `${index}${'İ'.repeat(32_000)}`) },
  'paths of many segments': {
    name: 'a.docx',
    bytes: () => withNames(75, (index) => `${index}${'/a'.repeat(32_000)}`),
  },
  'two thousand names': {
    name: 'a.docx',
    bytes: () => withNames(1990, (index) => `word/${index}${'a'.repeat(1000)}`),
  },
  'a directory of 65,535 entries': {
    name: 'a.docx',
    bytes: () => zip(Array.from({ length: 65_535 }, (_, index) => ({ name: `${index}`, method: 0 }))),
  },
  'a directory of 65,535 entries that claims to have 2,000': {
    name: 'a.docx',
    bytes: () =>
      zip(
        Array.from({ length: 65_535 }, (_, index) => ({ name: `${index}`, method: 0 })),
        { entryCount: 2000 },
      ),
  },
  'extra fields': {
    name: 'a.docx',
    bytes: () =>
      docx(Array.from({ length: 150 }, (_, index) => ({ name: `word/${index}`, extra: EMPTY_FIELDS }))),
  },
  'entries that share compressed bytes': { name: 'a.docx', bytes: sharedBytes },
  'many empty blocks': {
    name: 'a.docx',
    bytes: () =>
      docx([
        {
          name: 'word/a.bin',
          packed: Buffer.alloc(9 * MIB, Buffer.from('000000ffff', 'hex')),
          packedSize: 9 * MIB,
        },
      ]),
  },
  'a hundred megabytes, decompressed': {
    name: 'a.docx',
    bytes: () =>
      docx([
        { name: 'word/noise.bin', data: randomBytes(2 * MIB), method: 0 },
        { name: 'word/a.xml', data: Buffer.alloc(97 * MIB) },
      ]),
  },
  'ends of a zip': {
    name: 'a.docx',
    bytes: () => Buffer.concat([docx(), Buffer.alloc(9 * MIB, Buffer.from('504b0506', 'hex'))]),
  },
  'no zip': { name: 'a.docx', bytes: () => Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(9 * MIB)]) },
  'text of four-byte characters': { name: 'a.txt', bytes: () => Buffer.alloc(10 * MIB, '𝒳') },
  text: { name: 'a.md', bytes: () => Buffer.alloc(10 * MIB, 'a') },
  'text that breaks at its end': {
    name: 'a.txt',
    bytes: () => Buffer.concat([Buffer.alloc(10 * MIB - 4, 'é'), Buffer.from([0xff])]),
  },
  'a PDF': { name: 'a.pdf', bytes: () => Buffer.alloc(10 * MIB, '%PDF-1.7\n') },
  'no PDF': { name: 'a.pdf', bytes: () => Buffer.alloc(10 * MIB, 'a') },
}

/** Names of files, as long as a host may pass them. */
export const HOSTILE_NAMES: Readonly<Record<string, string>> = {
  dots: `a${'.'.repeat(100_000)}x.txt`,
  spaces: `a${' '.repeat(100_000)}x.txt`,
  'dots and spaces': `${'. '.repeat(50_000)}x.txt`,
  slashes: `${'/'.repeat(100_000)}x.txt`,
  marks: `a${'\u0301\u0323'.repeat(50_000)}.txt`,
  'marks out of order': `a${'\u0301'.repeat(50_000)}${'\u0323'.repeat(50_000)}.txt`,
  'reserved characters': `${'?'.repeat(100_000)}.txt`,
  extensions: `${'.txt'.repeat(25_000)}`,
  long: `${'漢'.repeat(100_000)}.txt`,
}
