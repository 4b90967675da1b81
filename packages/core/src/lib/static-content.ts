import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Static content, served from memory. */
export interface Content {
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  readonly gzipped: Buffer
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  yaml: 'application/yaml',
  txt: 'text/plain; charset=utf-8',
}

/** @param name its end determines the media type: `page.js`, `partners/json` */
export async function contentOf(name: string, text: string): Promise<Content> {
  const type = TYPES[name.split(/\W/).at(-1) ?? ''] ?? 'application/octet-stream'
  const plain = Buffer.from(text)
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { type, etag, plain, gzipped: await promisify(gzip)(plain, { level: 9 }) }
}

/** For content whose address changes with it: see `fixedName`. */
export const FIXED = `public, max-age=${365 * 24 * 60 * 60}, immutable`

/** A file name that changes with the content: `page-1a2b3c4d.js`. */
export function fixedName(name: string, { etag }: Content): string {
  return name.replace(/(?=\.\w+$)/, `-${etag.slice(1, 9)}`)
}

/** Not `gzip;q=0`. */
const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?![.\d]))/

/** The response with the content, or without it if the client has it already. */
export function contentAnswer(
  content: Content,
  cacheControl: string,
  request: IncomingHttpHeaders,
): { readonly status: 200 | 304; readonly headers: Record<string, string>; readonly body: Buffer | null } {
  const headers = { 'cache-control': cacheControl, etag: content.etag, vary: 'accept-encoding' }
  // Also in a list, or marked as weak (`W/`) by a proxy.
  if (request['if-none-match']?.includes(content.etag)) return { status: 304, headers, body: null }
  const typed = { ...headers, 'content-type': content.type }
  return ACCEPTS_GZIP.test(String(request['accept-encoding'] ?? ''))
    ? { status: 200, headers: { ...typed, 'content-encoding': 'gzip' }, body: content.gzipped }
    : { status: 200, headers: typed, body: content.plain }
}
