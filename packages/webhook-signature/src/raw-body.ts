/** A raw request body. Bytes are safest: reading them as text drops a byte order mark. */
export type RawBody = string | Uint8Array | ArrayBuffer

const encoder = new TextEncoder()

/** The bytes of a raw body, or undefined for anything else, such as a parsed object. */
export function bodyBytes(body: unknown): Uint8Array | undefined {
  if (typeof body === 'string') return encoder.encode(body)
  if (isArrayBuffer(body)) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  return undefined
}

/** Of any realm: `instanceof` only knows one. */
function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

/** The signed content: the timestamp, a dot, the body. */
export function signedContent(timestamp: string, body: Uint8Array): ArrayBuffer {
  const head = encoder.encode(`${timestamp}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content.buffer
}
