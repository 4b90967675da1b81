import { IntegrationError } from '@quickquote/core'
import { looksLikeApiKey } from '@quickquote/core/internal'
import type { FastifyInstance } from 'fastify'

const REDACTED = '[redacted]'

/** Parameters that are named like a key, in any case. */
const KEY_NAMES = new Set(['api_key', 'apikey', 'api-key', 'x-api-key', 'key', 'token', 'access_token'])

/** How often a part of a URL may have been percent-encoded. */
const ROUNDS = 3

/** Refuses requests to these routes whose URL holds a key, before anybody is asked who calls. */
export function refuseKeysInUrls(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async ({ originalUrl, url }) => {
    if (holdsApiKey(originalUrl) || holdsApiKey(url)) throw new IntegrationError('API_KEY_IN_QUERY')
  })
}

/** Whether anything in a URL has the shape of a key, in the path or the query, percent-encoded up to three times. */
export function holdsApiKey(url: string): boolean {
  return decodings(url).some(looksLikeApiKey)
}

/** Whether a parameter in the query of a URL is named like a key (specification, "Authentication", rule 2). */
export function hasParameterOfKey(url: string): boolean {
  return parametersOf(url).some(isNamedLikeKey)
}

/**
 * The URL without what may be a key: use it wherever a host logs URLs itself. Only values of parameters named like a key,
 * and anything that looks like a key, percent-encoded up to three times, are replaced.
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

/** Whether `redactApiKeys` could change the URL. Cheap, for every request. */
export function mayHoldKey(url: string): boolean {
  return /[?;%]|pk_/i.test(url)
}

/** The parameters of the query, as they are. */
function parametersOf(url: string): string[] {
  return url.slice(startOfQuery(url) + 1).split(/[&;]/)
}

/** A router may be set to take `;` as the start of the query, too. */
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

/** A text, and what it becomes when it is decoded once, twice and three times. */
function decodings(text: string): string[] {
  const forms = [text]
  for (let round = 0; round < ROUNDS; round += 1) {
    const decoded = decode(forms[round] ?? '')
    if (decoded === forms[round]) break
    forms.push(decoded)
  }
  return forms
}

/** Keys and names are ASCII: nothing else is decoded. Malformed escapes stay as they are. */
function decode(text: string): string {
  return text.replace(/%[0-7][0-9a-f]/gi, (hex) => String.fromCharCode(Number.parseInt(hex.slice(1), 16)))
}
