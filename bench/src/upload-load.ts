// A process that uploads files concurrently, as fast as they are accepted.
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { serveParent } from '@quickquote/dev-servers/child'
import { strToU8, zipSync } from 'fflate'
import { Pool } from 'undici'

interface UploadLoad {
  readonly origin: string
  readonly path: string
  readonly apiKey: string
  readonly uploads: number
  readonly bytesPerFile: number
}

const uploadService = { upload }
export type UploadService = typeof uploadService
serveParent(uploadService)

const BOUNDARY = 'quickquote-bench'
const PIECE_BYTES = 64 * 1024

/** Sends quotes with five files each. Returns the seconds it took. */
async function upload({ origin, path, apiKey, uploads, bytesPerFile }: UploadLoad): Promise<number> {
  const body = formOf(filesOf(bytesPerFile))
  const headers = {
    'x-api-key': apiKey,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': String(body.length),
  }
  const pool = new Pool(origin, { connections: uploads, headersTimeout: 0 })
  const begun = performance.now()
  const answers = Array.from({ length: uploads }, async () => {
    const answer = await pool.request({
      method: 'POST',
      path,
      headers,
      body: Readable.from(inPieces(body), { objectMode: false }),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 202)
      throw new Error(`An upload was answered with ${answer.statusCode}: ${text}`)
  })
  try {
    await Promise.all(answers)
  } finally {
    await pool.destroy()
  }
  return (performance.now() - begun) / 1000
}

/** One file of each format, and a second of the larger ones. */
function filesOf(bytes: number): readonly { name: string; content: Uint8Array }[] {
  const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes - 9)])
  const text = Buffer.alloc(bytes, 'Customers sign in and see their invoices.\n')
  const docx = docxOf(bytes)
  return [
    { name: 'scope.docx', content: docx },
    { name: 'scope.pdf', content: pdf },
    { name: 'notes.txt', content: text },
    { name: 'annex.docx', content: docx },
    { name: 'annex.pdf', content: pdf },
  ]
}

/** A Word document with a large picture. */
function docxOf(bytes: number): Uint8Array {
  const types = `<?xml version="1.0" encoding="UTF-8"?>
    <Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
      <Default Extension="png" ContentType="image/png"/>
      <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
      <Override PartName="/word/document.xml"
        ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
    </Types>`
  const relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
      <Relationship Id="rId1" Target="word/document.xml"
        Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>
    </Relationships>`
  const document = '<document xmlns="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>'
  const parts = {
    '[Content_Types].xml': strToU8(types),
    '_rels/.rels': strToU8(relationships),
    'word/document.xml': strToU8(document),
    'word/media/image1.png': randomBytes(bytes - 4096),
  }
  return zipSync(parts, { level: 0 })
}

function formOf(files: ReturnType<typeof filesOf>): Buffer {
  const parts = files.flatMap(({ name, content }) => [
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n` +
        'content-type: application/octet-stream\r\n\r\n',
    ),
    content,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

async function* inPieces(body: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < body.length; from += PIECE_BYTES) yield body.subarray(from, from + PIECE_BYTES)
}
