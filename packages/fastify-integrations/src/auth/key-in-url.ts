import { IntegrationError } from '@quickquote/core'
import { looksLikeApiKey } from '@quickquote/core/internal'
import type { FastifyInstance } from 'fastify'

const REDACTED = '[redacted]'

/** Parameter names of keys, in any case. */
const KEY_NAMES = new Set(['api_key', 'apikey', 'api-key', 'x-api-key', 'key', 'token', 'access_token'])

/** How many times a part of a URL may be percent-encoded. */
const ROUNDS = 3

/** Refuses requests with a key in the URL, before authentication. */
export function refuseKeysInUrls(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async ({ originalUrl, url }) => {
    if (holdsApiKey(originalUrl) || holdsApiKey(url)) throw new IntegrationError('API_KEY_IN_QUERY')
  })
}

/** Whether the path or the query of a URL contains something like a key, percent-encoded up to three times. */
export function holdsApiKey(url: string): boolean {
  return decodings(url).some(looksLikeApiKey)
}

/** Whether the query of a URL has a parameter named like a key (specification, "Authentication", rule 2). */
export function hasParameterOfKey(url: string): boolean {
  return parametersOf(url).some(isNamedLikeKey)
}

/**
 * Removes keys from a URL. Use it wherever the host logs URLs itself. It replaces only values of parameters named like
 * a key, and anything like a key, percent-encoded up to three times.
 */
export function redactApiKeys(url: string): string {
  const start = startOfQuery(url)
  const path = url
    .slice(0, start)
    .split('/')
    .map((segment) => (holdsApiKey(segment) ? REDACTED : segment))
    .join('/')
  if (start === url.length) return path
  const query = parametersOf(url).map((parameter) =>
    isNamedLikeKey(parameter) || holdsApiKey(parameter) ? redact(parameter) : parameter,
  )
  return path + url.charAt(start) + query.join('&')
}

/** Whether `redactApiKeys` could change the URL. Cheap enough for every request. */
export function mayHoldKey(url: string): boolean {
  return /[?;%]|pk_/i.test(url)
}

/** The raw parameters of the query. */
function parametersOf(url: string): string[] {
  return queryText(url).split(/[&;]/)
}

/** The query of a URL, as sent. */
export function queryText(url: string): string {
  return url.slice(startOfQuery(url) + 1)
}

/** A router may also accept `;` as the start of the query. */
function startOfQuery(url: string): number {
  const start = url.search(/[?;]/)
  return start === -1 ? url.length : start
}

function nameOf(parameter: string): string {
  return parameter.split('=', 1)[0] ?? ''
}

function isNamedLikeKey(parameter: string): boolean {
  return decodings(nameOf(parameter).replaceAll('+', ' ')).some((name) =>
    KEY_NAMES.has(name.trim().toLowerCase()),
  )
}

function redact(parameter: string): string {
  const name = nameOf(parameter)
  return holdsApiKey(name) ? REDACTED : `${name}=${REDACTED}`
}

/** A text, and its one, two and three times decoded forms. */
function decodings(text: string): string[] {
  const forms = [text]
  for (let round = 0; round < ROUNDS; round += 1) {
    const decoded = decode(forms[round] ?? '')
    if (decoded === forms[round]) break
    forms.push(decoded)
  }
  return forms
}

/** Keys and names are ASCII, so nothing else is decoded. Malformed escapes are kept. */
function decode(text: string): string {
  return text.replace(/%[0-7][0-9a-f]/gi, (hex) => String.fromCharCode(Number.parseInt(hex.slice(1), 16)))
}
