import type { TSchema } from '@sinclair/typebox'
import { type FieldError, validationFailed } from '../lib/errors.ts'
import type { EncryptedSecret, Keyring } from '../lib/keyring.ts'
import { Type } from '../lib/type.ts'
import { escapePointer, MAX_REPORTED } from '../lib/validator.ts'

// Limits of an endpoint's own headers. They are ASCII: a character is a byte.
const MAX_HEADERS = 10
const MAX_NAME_LENGTH = 64
const MAX_VALUE_LENGTH = 1024
/** Of all names and values together. */
const MAX_TOTAL_LENGTH = 4096

/** Names and values, sorted by name, ignoring case. The values are secrets. */
export type EndpointHeaders = readonly (readonly [name: string, value: string])[]

/** The headers of a request, by name. */
export type SentHeaders = Readonly<Record<string, string | null>>

/** Replaces values in records. */
export const HIDDEN_VALUE = '…'

const Value = Type.String({
  format: 'header-value',
  minLength: 1,
  maxLength: MAX_VALUE_LENGTH,
  description: 'Visible ASCII characters, and spaces between them.',
})

function headersSchema<T>(value: TSchema, description: string) {
  return Type.Unsafe<Readonly<Record<string, T>> | null>({
    type: ['object', 'null'],
    additionalProperties: value,
    description: `${description} At most ${MAX_HEADERS}, ${MAX_TOTAL_LENGTH} characters in total. Responses never contain the values.`,
  })
}

/** The headers of a new endpoint. */
export const CreatedHeaders = headersSchema<string>(
  Value,
  'Headers to send with each delivery, for example `Authorization` for a gateway.',
)

/** The headers of an update. */
export const UpdatedHeaders = headersSchema<string | null>(
  Type.Unsafe<string | null>({ ...Value, type: ['string', 'null'] }),
  'Merged with the existing headers: null removes a header, `headers: null` removes all of them. An update that moves `url` to another origin must send the complete new set.',
)

/** Names used by HTTP, the connection, the body, or the delivery itself. */
const RESERVED_NAMES = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'user-agent',
  'accept-encoding',
  'date',
  'cookie',
  'traceparent',
  'tracestate',
  'baggage',
])

/** Whether deliveries use this header themselves. */
export function isReservedHeader(name: string, productName: string): boolean {
  const lower = name.toLowerCase()
  const prefixes = [`x-${productName.toLowerCase()}-`, 'webhook-', 'content-', 'proxy-']
  return RESERVED_NAMES.has(lower) || prefixes.some((prefix) => lower.startsWith(prefix))
}

/**
 * The headers after a change: `current`, overridden by the values of `sent`.
 * @throws IntegrationError VALIDATION_FAILED
 */
export function mergeHeaders(
  current: EndpointHeaders,
  sent: SentHeaders,
  productName: string,
): EndpointHeaders {
  const errors = Object.keys(sent).flatMap((name, index, names) => {
    const detail = whatIsWrong(name, names.slice(0, index), productName)
    return detail === undefined ? [] : [wrong(name, detail)]
  })
  if (errors.length > 0) throw validationFailed(errors.slice(0, MAX_REPORTED))
  const named = new Set(Object.keys(sent).map((name) => name.toLowerCase()))
  const kept = current.filter(([name]) => !named.has(name.toLowerCase()))
  const given = Object.entries(sent).filter((header): header is [string, string] => header[1] !== null)
  const headers = [...kept, ...given].sort(byName)
  if (headers.length > MAX_HEADERS)
    throw validationFailed([wrong(null, `must be at most ${MAX_HEADERS} headers`)])
  if (headers.flat().join('').length > MAX_TOTAL_LENGTH) {
    throw validationFailed([
      wrong(null, `must be at most ${MAX_TOTAL_LENGTH} characters in total, names and values together`),
    ])
  }
  return headers
}

/**
 * The complete new set of headers.
 * @throws IntegrationError VALIDATION_FAILED, also for a null value
 */
export function wholeHeaders(sent: SentHeaders | null, productName: string): EndpointHeaders {
  const errors = Object.entries(sent ?? {})
    .filter(([, value]) => value === null)
    .map(([name]) => wrong(name, 'must be a string, because these headers replace all existing ones'))
  if (errors.length > 0) throw validationFailed(errors.slice(0, MAX_REPORTED))
  return mergeHeaders([], sent ?? {}, productName)
}

function whatIsWrong(name: string, before: readonly string[], productName: string): string | undefined {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) {
    return "must have a name of only letters, digits and !#$%&'*+-.^_`|~"
  }
  if (name.length > MAX_NAME_LENGTH) return `must have a name of at most ${MAX_NAME_LENGTH} characters`
  if (isReservedHeader(name, productName)) return 'is reserved: choose another name'
  if (before.some((other) => other.toLowerCase() === name.toLowerCase())) {
    return 'is a duplicate: header names ignore case'
  }
  return undefined
}

function wrong(name: string | null, detail: string): FieldError {
  return { pointer: name === null ? '/headers' : `/headers/${escapePointer(name)}`, detail }
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one.toLowerCase() < other.toLowerCase() ? -1 : 1
}

/** null: no headers. */
export function encryptHeaders(
  keyring: Keyring,
  headers: EndpointHeaders,
  endpointId: string,
): EncryptedSecret | null {
  return headers.length === 0 ? null : keyring.encrypt(JSON.stringify(headers), headersContext(endpointId))
}

/** @throws Error if the key is not in the ring */
export function decryptHeaders(
  keyring: Keyring,
  encrypted: EncryptedSecret | null,
  endpointId: string,
): EndpointHeaders {
  return encrypted === null ? [] : JSON.parse(keyring.decrypt(encrypted, headersContext(endpointId)))
}

/** The encryption context, which differs from that of signing secrets. */
export function headersContext(endpointId: string): string {
  return `headers of ${endpointId}`
}
