import { looksLikeApiKey } from '@quickquote/core'

const REDACTED = '[redacted]'

/** Parameters that are named like a key, in any case. */
const KEY_NAMES = new Set(['api_key', 'apikey', 'api-key', 'x-api-key', 'key', 'token', 'access_token'])

/**
 * Whether the query of a URL holds a key: a parameter that is named like one, or anything that looks like one
 * (specification, "Authentication", rule 2).
 */
export function hasKeyInQuery(url: string): boolean {
  return queryOf(url).some(isKey)
}

/**
 * The URL without what may be a key: use it wherever a host logs URLs itself. Only values of parameters named like a key,
 * and anything that looks like a key, are replaced.
 */
export function redactApiKeys(url: string): string {
  const start = startOfQuery(url)
  const path = url
    .slice(0, start)
    .split('/')
    .map((segment) => (looksLikeApiKey(decode(segment)) ? REDACTED : segment))
    .join('/')
  if (start === url.length) return path
  const query = queryOf(url).map((parameter) => (isKey(parameter) ? redact(parameter) : parameter.raw))
  return path + url.charAt(start) + query.join('&')
}

/** Whether `redactApiKeys` could change the URL. Cheap, for every request. */
export function mayHoldKey(url: string): boolean {
  return startOfQuery(url) < url.length || /pk(_|%5f)/i.test(url)
}

interface Parameter {
  readonly raw: string
  readonly rawName: string
  readonly name: string
  readonly value: string
}

function queryOf(url: string): Parameter[] {
  const query = url.slice(startOfQuery(url) + 1)
  return query.split(/[&;]/).map((raw) => {
    const [rawName = '', ...rest] = raw.split('=')
    return { raw, rawName, name: decode(rawName), value: decode(rest.join('=')) }
  })
}

/** A router may be set to take `;` as the start of the query, too. */
function startOfQuery(url: string): number {
  const start = url.search(/[?;]/)
  return start === -1 ? url.length : start
}

function isKey({ name, value }: Parameter): boolean {
  return KEY_NAMES.has(name.trim().toLowerCase()) || looksLikeApiKey(name) || looksLikeApiKey(value)
}

function redact({ name, rawName }: Parameter): string {
  return looksLikeApiKey(name) ? REDACTED : `${rawName}=${REDACTED}`
}

/** Malformed escapes stay as they are. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
