import { Readable } from 'node:stream'
import { IntegrationError, type Limits, type ReceivedFile, type RequirementsFiles } from '@quickquote/core'
import { invalidField, startQuotationBody } from '@quickquote/core/internal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuseEncoded } from './content-encoding.ts'
import { formTypeOf } from './content-type.ts'
import { textOf } from './form-text.ts'
import { parseJson } from './json-body.ts'
import { type Part, readParts } from './multipart-parts.ts'
import { bodyTooLarge, DEFAULT_MIN_DATA_RATE, type MinDataRate } from './read-body.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/** The fields of a multipart request as in JSON, and its stored files. */
export interface MultipartForm {
  readonly body: Readonly<Record<string, unknown>>
  readonly files: readonly ReceivedFile[]
}

export interface MultipartOptions {
  /** The organization of the files. */
  readonly organizationId: string
  readonly requirementsFiles: RequirementsFiles
  readonly limits: Limits
  /** The slowest accepted rate. Default: half a minute, plus a second per 16 KiB. */
  readonly minDataRate?: MinDataRate
}

/** The maximum number of parts besides files. A start has five fields; unknown ones are ignored. */
const MAX_FIELDS = 100
/** Bytes of a part besides its content: boundary and header. */
const PART_OVERHEAD = 10 * 1024

/**
 * Lets the routes of a plugin accept multipart bodies, unread. `receiveMultipart` reads them after authentication and
 * limits.
 */
export function takeMultipart(fastify: FastifyInstance): void {
  fastify.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: Readable) => {
    refuseEncoded(request.headers)
    return payload
  })
}

/** For a plugin whose routes take nothing else. */
export function refuseOtherBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', async () => {
    throw new IntegrationError('UNSUPPORTED_MEDIA_TYPE', 'Send a form: `multipart/form-data`.')
  })
}

export function isMultipart(request: FastifyRequest): boolean {
  return request.body instanceof Readable
}

/**
 * Reads the multipart body of a quote start, with parts in any order. Files are checked while they stream into the
 * storage; pass them to `quotations.start`. After an error, nothing remains stored.
 *
 * Text fields are those of the JSON body, with LF for CRLF. `metadata` is JSON text; an empty `metadata`, `config_id` or
 * `external_id` means null.
 * Unknown text fields are ignored, but unknown files are refused: their sender expects them to count. A file without a
 * name and content, which browsers send if none was chosen, counts as absent.
 * @throws IntegrationError VALIDATION_FAILED, MALFORMED_REQUEST, PAYLOAD_TOO_LARGE
 */
export async function receiveMultipart(
  request: FastifyRequest,
  options: MultipartOptions,
): Promise<MultipartForm> {
  const { limits, minDataRate = DEFAULT_MIN_DATA_RATE } = options
  const bounds = { parts: maxParts(limits), totalBytes: formBytes(limits), minDataRate }
  const files: ReceivedFile[] = []
  try {
    if (Number(request.headers['content-length'] ?? 0) > bounds.totalBytes)
      throw bodyTooLarge(bounds.totalBytes)
    const type = formTypeOf(request.headers['content-type'] ?? '')
    const fields = await readForm(readParts(request.body as Readable, type, bounds), files, options)
    return { body: await toBody(fields), files }
  } catch (error) {
    const organization_id = options.organizationId
    await options.requirementsFiles.discard(files.map(({ id }) => ({ id, organization_id })))
    throw error
  }
}

function maxParts(limits: Limits): number {
  return limits.files + MAX_FIELDS
}

/** The size of the largest form, which is the largest body of all routes. */
export function formBytes(limits: Limits): number {
  return limits.files * limits.fileBytes + limits.jsonBodyBytes + maxParts(limits) * PART_OVERHEAD
}

/** A field as it was sent. */
interface SentField {
  readonly bytes: Buffer
  /** null: that of the form, or UTF-8. */
  readonly charset: string | null
  readonly isText: boolean
}

type SentFields = ReadonlyMap<string, SentField>

/** PHP, Ruby and others can send several files only under names such as `files[]` or `files[0]`. */
const FILES = /^files(?:\[\d*\])?$/
/** `metadata[deal]`, `metadata.deal`, `metadata{}`: how clients flatten an object. */
const PART_OF_METADATA = /^metadata[[.{:(]/
/** The charset of texts that declare none (RFC 7578, 4.6). */
const CHARSET = '_charset_'

/** Reads all parts: files into `files`, in the order of their arrival, and fields into the result. */
async function readForm(
  parts: AsyncIterable<Part>,
  files: ReceivedFile[],
  options: MultipartOptions,
): Promise<SentFields> {
  const { limits } = options
  const known = new Set([...Object.keys(startQuotationBody(limits).properties), CHARSET])
  const fields = new Map<string, SentField>()
  let room = limits.jsonBodyBytes
  for await (const part of parts) {
    const { name, fileName, charset, isText } = part
    if (FILES.test(name)) {
      await readFile(part, files, options)
      continue
    }
    if (PART_OF_METADATA.test(name))
      throw invalidField('/metadata', 'must be one field: send metadata as JSON text')
    const isKnown = known.has(name)
    if (!isKnown && fileName !== null) throw invalidField('/files', 'must be the field name of every file')
    if (fields.has(name)) throw invalidField(`/${name}`, 'must be sent only once')
    const bytes = await readField(part, room)
    room -= bytes.length
    if (isKnown) fields.set(name, { bytes, charset, isText })
  }
  return fields
}

async function readFile(
  part: Part,
  files: ReceivedFile[],
  { organizationId, requirementsFiles }: MultipartOptions,
): Promise<void> {
  const index = files.length
  const pointer = `/files/${index}`
  if (part.fileName) {
    const bytes = decodeTransfer(part.bytes, part.encoding, (allowed) => invalidField(pointer, allowed))
    files.push(await requirementsFiles.receive({ organizationId, index, name: part.fileName, bytes }))
  } else if (!(await isEmpty(part.bytes))) {
    throw invalidField(pointer, 'must have a file name: add filename="plan.pdf" to its Content-Disposition')
  }
}

async function isEmpty(bytes: AsyncIterable<Buffer>): Promise<boolean> {
  for await (const chunk of bytes) if (chunk.length > 0) return false
  return true
}

/**
 * @throws IntegrationError PAYLOAD_TOO_LARGE if all fields together are too large
 */
async function readField({ name, bytes, encoding }: Part, room: number): Promise<Buffer> {
  let left = room
  const chunks: Buffer[] = []
  for await (const chunk of decodeTransfer(bytes, encoding, (allowed) => invalidField(`/${name}`, allowed))) {
    left -= chunk.length
    if (left < 0) throw new IntegrationError('PAYLOAD_TOO_LARGE', 'The form fields are too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The equivalent JSON body. */
async function toBody(fields: SentFields): Promise<Record<string, unknown>> {
  const ofForm = fields.get(CHARSET)?.bytes.toString('latin1').trim() || null
  const values: [string, unknown][] = []
  for (const [name, { bytes, charset, isText }] of fields) {
    if (name === CHARSET) continue
    // JSON is UTF-8 in any form.
    const text = await textOf(bytes, charset ?? (isText ? ofForm : null), (allowed) =>
      invalidField(`/${name}`, allowed),
    )
    values.push([name, toValue(name, text)])
  }
  return Object.fromEntries(values)
}

function toValue(name: string, text: string): unknown {
  const canBeNull = ['metadata', 'config_id', 'external_id'].includes(name)
  if (text === '' && canBeNull) return null
  if (name !== 'metadata') return text
  try {
    return parseJson(Buffer.from(text))
  } catch {
    throw invalidField('/metadata', 'must be a JSON object, as text')
  }
}
