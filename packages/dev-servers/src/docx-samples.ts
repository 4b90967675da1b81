import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a hand-made zip, whose headers may lie. */
export interface ZipEntry {
  readonly name: string
  readonly data?: string | Uint8Array
  /** The encoding of the name. Default UTF-8. */
  readonly encoding?: 'latin1'
  /** The name in the local header. Default: the same. */
  readonly localName?: string
  /** The decompressed size in both headers. Default: the real one. */
  readonly declaredSize?: number
  /** Bit flags of both headers. Default 0x0800: the name is UTF-8. */
  readonly flags?: number
  readonly localFlags?: number
  readonly externalAttributes?: number
  readonly extra?: Uint8Array
  /** The bytes between the headers, in place of the compressed data. */
  readonly packed?: Uint8Array
  /** The compressed size in both headers. Default: the real one. */
  readonly packedSize?: number
  /** The length of the extra field in the local header, which is not written. Default 0. */
  readonly localExtraLength?: number
  /** 0 stores, 8 deflates. Default 8. */
  readonly method?: number
  /** The offset of the entry in the directory. Default: the real one. */
  readonly offset?: number
  /** The checksum in both headers. Default: the real one. */
  readonly checksum?: number
}

const NOTHING = Buffer.alloc(0)
const NOTHING_DEFLATED = deflateRawSync(NOTHING)

/** At the fastest level, because most samples are large and repetitive. */
const deflated = (data: Uint8Array) =>
  data.length === 0 ? NOTHING_DEFLATED : deflateRawSync(data, { level: 1 })

/** Writes a zip exactly as described, valid or not. */
export function zip(entries: readonly ZipEntry[], options: { entryCount?: number } = {}): Buffer {
  const local: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let position = 0
  for (const entry of entries) {
    const { method = 8, flags = 0x0800, extra = NOTHING } = entry
    const data = typeof entry.data === 'string' ? Buffer.from(entry.data) : (entry.data ?? NOTHING)
    const packed = entry.packed ?? (method === 8 ? deflated(data) : data)
    const name = Buffer.from(entry.name, entry.encoding)
    const localName = entry.localName === undefined ? name : Buffer.from(entry.localName)
    const checksum = entry.checksum ?? crc32(data)
    const sizes = (buffer: Buffer, at: number) => {
      buffer.writeUInt32LE(checksum, at)
      buffer.writeUInt32LE(entry.packedSize ?? packed.length, at + 4)
      buffer.writeUInt32LE(entry.declaredSize ?? data.length, at + 8)
    }
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(20, 4)
    header.writeUInt16LE(entry.localFlags ?? flags, 6)
    header.writeUInt16LE(method, 8)
    sizes(header, 14)
    header.writeUInt16LE(localName.length, 26)
    header.writeUInt16LE(entry.localExtraLength ?? 0, 28)
    const row = Buffer.alloc(46)
    row.writeUInt32LE(0x02014b50, 0)
    row.writeUInt16LE(0x0314, 4)
    row.writeUInt16LE(20, 6)
    row.writeUInt16LE(flags, 8)
    row.writeUInt16LE(method, 10)
    sizes(row, 16)
    row.writeUInt16LE(name.length, 28)
    row.writeUInt16LE(extra.length, 30)
    row.writeUInt32LE(entry.externalAttributes ?? 0, 38)
    row.writeUInt32LE(entry.offset ?? position, 42)
    local.push(header, localName, packed)
    directory.push(row, name, extra)
    position += header.length + localName.length + packed.length
  }
  const rows = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(options.entryCount ?? entries.length, 8)
  end.writeUInt16LE(options.entryCount ?? entries.length, 10)
  end.writeUInt32LE(rows.length, 12)
  end.writeUInt32LE(position, 16)
  return Buffer.concat([...local, rows, end])
}

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml'

export const CONTENT_TYPES = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
  <Default Extension="xml" ContentType="application/xml"/>
  <Override PartName="/word/document.xml" ContentType="${WORD}.document.main+xml"/>
  <Override PartName="/word/styles.xml" ContentType="${WORD}.styles+xml"/>
</Types>`

export const RELATIONSHIPS = `<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>
</Relationships>`

/** A main part with this in its body. */
export function mainPartWith(body: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`
}

/** The entries of a small Word document, in Word's order. */
export const DOCX_ENTRIES: readonly ZipEntry[] = [
  { name: '[Content_Types].xml', data: CONTENT_TYPES },
  { name: '_rels/.rels', data: RELATIONSHIPS },
  {
    name: 'word/document.xml',
    data: mainPartWith('<w:p><w:r><w:t>Customers sign in and see their invoices.</w:t></w:r></w:p>'),
  },
  { name: 'word/styles.xml', data: '<w:styles/>' },
]

type Data = string | Uint8Array

/** A small Word document, with additional entries or other parts. */
export function docx(
  more: readonly ZipEntry[] = [],
  replace: { contentTypes?: Data; relationships?: Data; mainPart?: Data } = {},
): Buffer {
  const parts: Record<string, Data | undefined> = {
    '[Content_Types].xml': replace.contentTypes,
    '_rels/.rels': replace.relationships,
    'word/document.xml': replace.mainPart,
  }
  return zip([
    ...DOCX_ENTRIES.map((entry) => ({ ...entry, data: parts[entry.name] ?? entry.data ?? '' })),
    ...more,
  ])
}

/** The content types of a small Word document, and these elements. */
export function contentTypesWith(elements: string): string {
  return CONTENT_TYPES.replace('</Types>', `${elements}</Types>`)
}
