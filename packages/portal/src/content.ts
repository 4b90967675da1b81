import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

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
}

/** JSON as bytes, which no serializer or hook of the host changes. */
export function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/**
 * @param name its extension determines the media type
 */
export function contentOf(name: string, text: string): Content {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  const plain = Buffer.from(text)
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { type, etag, plain, gzipped: gzipSync(plain, { level: 9 }) }
}
