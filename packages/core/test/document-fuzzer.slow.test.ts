import {
  CONTENT_TYPES,
  contentTypesWith,
  docx,
  mainPartWith,
  type ZipEntry,
  zip,
} from '@quickquote/dev-servers/docx-samples'
import { MAX_DOCUMENT_TURN_MS, TURNS_ARE_MEASURABLE } from '@quickquote/dev-servers/longest-turn'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { useUploadTurns } from './support/upload-turns.ts'

const turnOf = useUploadTurns()

/** Some text, again and again: what takes quadratic time shows. */
function repeated(parts: readonly string[], maximum: number) {
  const text = fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 })
    .map((some) => some.join(''))
  return fc
    .tuple(text, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: maximum })))
    .map(([some, times]) => some.repeat(Math.min(times, Math.floor(maximum / some.length))))
}

const XML_PARTS = [
  ...[
    '<a>',
    '</a>',
    '<p:a>',
    '</p:a>',
    '<a/>',
    '<a xmlns:p="u">',
    '<Types>',
    '</Types>',
    '<',
    '>',
    '/',
    '=',
    '"',
  ],
  ...[
    ' b="c"',
    ' p:b="c"',
    ' xmlns="u"',
    'a',
    ':',
    ' ',
    '\r\n',
    '&amp;',
    '&',
    ';',
    '<!--',
    '-->',
    '-',
    '<?a',
    '?>',
  ],
  ...[
    '<![CDATA[',
    ']]>',
    '<!DOCTYPE',
    '[',
    ']',
    '<Default Extension="xml" ContentType="vbaProject"/>',
    '𝒳',
    '\0',
  ],
]

const NAME_PARTS = [
  ...[
    'a',
    '/',
    '..',
    '.',
    ' ',
    '\\',
    ':',
    '\0',
    'İ',
    '\u0301',
    '漢',
    '\ud800',
    '.docm',
    '.txt',
    '.docx',
    '.pdf',
  ],
  ...['vba', 'vbaProject', 'vbaData', 'word/', '?', '<', '\u202e', '~', '%'],
]

const zipEntry: fc.Arbitrary<ZipEntry> = fc.record(
  {
    name: repeated(NAME_PARTS, 65_000 / 4),
    data: repeated(['a', '<w:t>', '\0', 'PK\x03\x04'], 1_000_000),
    localName: repeated(NAME_PARTS, 65_000 / 4),
    packed: fc.uint8Array({ maxLength: 1000 }),
    packedSize: fc.integer({ min: 0, max: 0xffffffff }),
    declaredSize: fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.constant(0)),
    localExtraLength: fc.integer({ min: 0, max: 65_535 }),
    flags: fc.integer({ min: 0, max: 65_535 }),
    extra: fc.oneof(
      fc.uint8Array({ maxLength: 1000 }),
      fc
        .integer({ min: 0, max: 16_000 })
        .map((fields) => Buffer.alloc(fields * 4, Buffer.from('01000000', 'hex'))),
    ),
    method: fc.constantFrom(0, 8, 8, 8, 12),
    offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffffffff })),
  },
  { requiredKeys: ['name'] },
)

const document: fc.Arbitrary<Buffer> = fc.oneof(
  fc.array(zipEntry, { maxLength: 20 }).map((more) => docx(more)),
  fc
    .tuple(fc.array(zipEntry, { maxLength: 5 }), fc.integer({ min: 0, max: 65_535 }))
    .map(([entries, entryCount]) => zip(entries, { entryCount })),
  // A real document with some bytes changed.
  fc
    .tuple(
      fc.constant(docx()),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1 }),
    )
    .map(([bytes, changes]) => {
      const changed = Buffer.from(bytes)
      for (const [at, value] of changes) changed[at % changed.length] = value
      return changed
    }),
)

const contentTypes: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(repeated(XML_PARTS, 300_000), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('inside', 'after', 'instead'),
  )
  .map(([parts, where]) => {
    const text = parts.join('')
    if (where === 'instead') return text
    return where === 'inside' ? contentTypesWith(text) : CONTENT_TYPES + text
  })

const mainParts: fc.Arbitrary<string> = fc
  .tuple(fc.array(repeated(XML_PARTS, 1_000_000), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([parts, isInside]) => (isInside ? mainPartWith(parts.join('')) : parts.join('')))

describe.runIf(TURNS_ARE_MEASURABLE)(
  'no upload that a fuzzer makes up keeps the event loop longer than 20 ms at once:',
  () => {
    const SEED = 20261124

    it.each<[string, fc.Arbitrary<[string, Uint8Array]>]>([
      ['zips', document.map((bytes) => ['a.docx', bytes])],
      ['main parts', mainParts.map((mainPart) => ['a.docx', docx([], { mainPart })])],
      ['content types', contentTypes.map((xml) => ['a.docx', docx([], { contentTypes: xml })])],
      [
        'file names',
        fc.array(repeated(NAME_PARTS, 100_000)).map((parts) => [parts.join(''), Buffer.from('%PDF-1')]),
      ],
    ])('%s', async (_what, uploads) => {
      await fc.assert(
        fc.asyncProperty(uploads, async ([name, bytes]) => {
          expect(await turnOf(name, bytes)).toBeLessThan(MAX_DOCUMENT_TURN_MS)
        }),
        { seed: SEED, numRuns: 200, endOnFailure: true },
      )
    })
  },
)
