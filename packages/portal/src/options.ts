import { ConfigurationError, type Integrations, type Session } from '@quickquote/core'
import {
  type Brand,
  checkBrand,
  checkOptionValues,
  completeOptions,
  hintAt,
  INTEGRATIONS_OPTION,
  isFunction,
  isObject,
  isPageAddress,
  listOf,
  matching,
  type OptionTable,
  oneOf,
  PREFIX,
  REGISTER_OPTIONS,
} from '@quickquote/core/internal'
import type { FastifyRequest } from 'fastify'
import { messageKeys } from '#assets'

/** A text of the portal, or one per plural category of its language (`Intl.PluralRules`), selected by `{count}`. */
export type PortalMessage =
  | string
  | ({ readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>)

export type PortalBrand = Brand

export const PORTAL_FEATURES = [
  'api-keys',
  'endpoints',
  'deliveries',
  'replay',
  'events',
  'audit-log',
] as const
export type PortalFeature = (typeof PORTAL_FEATURES)[number]

type SessionResolver = (
  request: FastifyRequest,
) => Session | null | undefined | Promise<Session | null | undefined>

/** The options of the plugin, besides Fastify's own such as `prefix` and `logLevel`. */
export interface FastifyPortalOptions {
  /** Your integrations, from `createIntegrations`: the portal shows their limits and header names. */
  readonly integrations: Integrations
  /**
   * Returns the caller, as for `fastifyIntegrations`, within 10 s. With it, the portal finds the organization if the
   * address has none. Default: the address must contain it, as in `/integrations/#/<organization id>`.
   */
  readonly resolveSession?: SessionResolver
  /** The prefix of `fastifyIntegrations`, from the root of the server. Default none. */
  readonly apiPrefix?: string
  /**
   * The sign-in page. `{url}` is replaced by the address to return to. Default: the portal only shows that a sign-in is
   * needed.
   */
  readonly signInUrl?: string
  /** The name, theme and colors of your product. Default: none, and no header. */
  readonly brand?: PortalBrand
  /** Linked as "API reference". Default: none. */
  readonly apiReferenceUrl?: string
  /** Where your name and logo at the top lead, such as your app. Default: nowhere. */
  readonly homeUrl?: string
  /** Linked as "Sign out"; a `GET` that ends the session. Default: none. */
  readonly signOutUrl?: string
  /** A language tag, such as `de`. Default: the reader's language if available, otherwise English. */
  readonly locale?: string
  /** Your own texts by language and key, or whole languages. Default none. */
  readonly messages?: Readonly<Record<string, Readonly<Record<string, PortalMessage>>>>
  /** Hides all changes. The routes themselves are not affected. Default false. */
  readonly readOnly?: boolean
  /** The screens: `api-keys`, `endpoints`, `deliveries`, `replay`, `events` and `audit-log`. Default: all. */
  readonly features?: readonly PortalFeature[]
  /** Who may embed the portal in a frame: sources of the CSP's `frame-ancestors`. Default `["'self'"]`. */
  readonly frameAncestors?: readonly string[]
}

const PAGE = {
  check: isPageAddress,
  rule: 'must be an address, such as /login or https://app.example.com.',
} as const

const TEXT = { check: isString, rule: 'must be a text.' } as const

const PLURALS = {
  zero: TEXT,
  one: TEXT,
  two: TEXT,
  few: TEXT,
  many: TEXT,
  other: { isRequired: true, ...TEXT },
} satisfies Record<Intl.LDMLPluralRule, OptionTable[string]>

const MESSAGE = {
  check: (message) => isString(message) || isObject(message),
  rule: 'must be a text, or an object with one per plural category.',
  checkInside(path, message: string | object) {
    if (typeof message === 'object') completeOptions(path, PLURALS, message)
  },
} satisfies OptionTable[string]

const MESSAGES: OptionTable = Object.fromEntries(messageKeys.map((key) => [key, MESSAGE]))

const OPTIONS = {
  integrations: INTEGRATIONS_OPTION,
  resolveSession: {
    check: isFunction,
    rule: 'must be a function (request) => ({ memberId, organizations }) or null.',
  },
  apiPrefix: PREFIX,
  signInUrl: PAGE,
  brand: { checkInside: checkBrand },
  apiReferenceUrl: PAGE,
  homeUrl: PAGE,
  signOutUrl: PAGE,
  locale: { check: isLanguageTag, rule: 'must be a language tag, such as de or en-GB.' },
  messages: {
    check: areLanguages,
    rule: "must be texts by language and key, such as { de: { 'nav.api-keys': 'Schlüssel' } }.",
    checkInside: checkMessages,
  },
  readOnly: { default: false },
  features: {
    check: listOf(oneOf(...PORTAL_FEATURES)),
    rule: `may contain: ${PORTAL_FEATURES.join(', ')}.`,
  },
  frameAncestors: {
    check: listOf(matching(/^[^\s;,]+$/)),
    rule: "must be a list of sources, such as ['https://app.example.com'].",
  },
} satisfies Record<keyof FastifyPortalOptions, OptionTable[string]>

/**
 * @throws ConfigurationError for an option that is missing, unknown or invalid
 */
export function checkOptions(options: FastifyPortalOptions): void {
  completeOptions('fastifyPortal', OPTIONS, options, REGISTER_OPTIONS)
}

function isLanguageTag(tag: unknown): boolean {
  try {
    return typeof tag === 'string' && Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function areLanguages(languages: unknown): boolean {
  return (
    isObject(languages) &&
    Object.entries(languages).every(([tag, texts]) => isLanguageTag(tag) && isObject(texts))
  )
}

/** Like `completeOptions`, but does not list the hundreds of keys. */
function checkMessages(path: string, languages: Readonly<Record<string, object>>): void {
  for (const [tag, texts] of Object.entries(languages)) {
    const unknown = Object.keys(texts).find((key) => !Object.hasOwn(MESSAGES, key))
    if (unknown !== undefined) {
      const hint = hintAt(unknown, messageKeys)
      throw new ConfigurationError(`${path}.${tag}: the portal has no text '${unknown}'.${hint}`)
    }
    checkOptionValues(`${path}.${tag}`, MESSAGES, texts)
  }
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}
