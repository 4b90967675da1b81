import { Readable } from 'node:stream'
import { IntegrationError, type Limits, type ReceivedFile, type RequirementsFiles } from '@quickquote/core'
import { startQuotationBody, validationFailed } from '@quickquote/core/internal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from './json-body.ts'
import { type Part, readParts } from './multipart-parts.ts'
import { bodyTooLarge, DEFAULT_MIN_DATA_RATE, type MinDataRate, malformed } from './read-body.ts'

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
  fastify.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload))
}

export function isMultipart(request: FastifyRequest): boolean {
  return request.body instanceof Readable
}

/**
 * Reads the multipart body of a quote start, with parts in any order. Files are checked while they stream into the
 * storage; pass them to `quotations.start`. After an error, nothing remains stored.
 *
 * Text fields are those of the JSON body. `metadata` is JSON text; an empty `metadata`, `config_id` or `external_id` means null.
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
    const boundary = boundaryOf(request.headers['content-type'] ?? '')
    const fields = await readForm(readParts(request.body as Readable, boundary, bounds), files, options)
    const values = [...fields].map(([name, value]) => [name, toValue(name, value)])
    return { body: Object.fromEntries(values), files }
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

function boundaryOf(contentType: string): string {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) {
    throw malformed('The Content-Type needs a boundary of 1 to 70 characters.')
  }
  return boundary
}

/** Reads all parts: files into `files`, fields into the result. */
async function readForm(
  parts: AsyncIterable<Part>,
  files: ReceivedFile[],
  { organizationId, requirementsFiles, limits }: MultipartOptions,
): Promise<ReadonlyMap<string, Buffer>> {
  const known = new Set(Object.keys(startQuotationBody(limits).properties))
  const fields = new Map<string, Buffer>()
  let room = limits.jsonBodyBytes
  for await (const { name, fileName, bytes } of parts) {
    if (name === 'files') {
      const index = files.length
      if (fileName)
        files.push(await requirementsFiles.receive({ organizationId, index, name: fileName, bytes }))
      else if (!(await isEmpty(bytes))) throw wrong(`/files/${index}`, 'must have a file name')
      continue
    }
    const isKnown = known.has(name)
    if (!isKnown && fileName !== null) throw wrong('/files', 'must be the field name of every file')
    if (fields.has(name)) throw wrong(`/${name}`, 'must be sent only once')
    const value = await readField(bytes, room)
    room -= value.length
    if (isKnown) fields.set(name, value)
  }
  return fields
}

async function isEmpty(bytes: AsyncIterable<Buffer>): Promise<boolean> {
  for await (const chunk of bytes) if (chunk.length > 0) return false
  return true
}

/**
 * @throws IntegrationError PAYLOAD_TOO_LARGE if all fields together are too large
 */
async function readField(bytes: AsyncIterable<Buffer>, room: number): Promise<Buffer> {
  let left = room
  const chunks: Buffer[] = []
  for await (const chunk of bytes) {
    left -= chunk.length
    if (left < 0) throw new IntegrationError('PAYLOAD_TOO_LARGE', 'The form fields are too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The equivalent in a JSON body. */
function toValue(name: string, value: Buffer): unknown {
  const canBeNull = ['metadata', 'config_id', 'external_id'].includes(name)
  if (value.length === 0 && canBeNull) return null
  try {
    return name === 'metadata' ? parseJson(value) : new TextDecoder('utf-8', { fatal: true }).decode(value)
  } catch {
    throw wrong(`/${name}`, name === 'metadata' ? 'must be a JSON object, as text' : 'must be UTF-8 text')
  }
}

function wrong(pointer: string, detail: string): IntegrationError {
  return validationFailed([{ pointer, detail }])
}
