import { ConfigurationError, type Integrations, type Session } from '@quickquote/core'
import { brandProblem, type Theme, type ThemeTokens } from '@quickquote/core/internal'
import type { FastifyRequest } from 'fastify'

/** A text of the portal, or one per plural category of its language (`Intl.PluralRules`), selected by `{count}`. */
export type PortalMessage = string | Readonly<Record<string, string>>

export interface PortalBrand {
  /** The name of your product, at the top and in the title. Default: none, and no header. */
  readonly name: string
  /** The URL of a 24 by 24 pixel image, on your own origin or as `data:`. Default: the first letter of the name. */
  readonly logo?: string
  /** `auto` follows the reader's system. Default `auto`. */
  readonly theme?: Theme
  /**
   * Values of CSS custom properties, without the dashes: `{ primary: '#0f766e', radius: '4px' }`. `light-dark(…, …)`
   * sets one per theme. The names are in the guide.
   */
  readonly tokens?: ThemeTokens
}

export const PORTAL_FEATURES = [
  'api-keys',
  'endpoints',
  'deliveries',
  'replay',
  'events',
  'audit-log',
] as const
export type PortalFeature = (typeof PORTAL_FEATURES)[number]

/** The options of the plugin, besides Fastify's own such as `prefix` and `logLevel`. */
export interface FastifyPortalOptions {
  /** Your integrations, from `createIntegrations`: the portal shows their limits and header names. */
  readonly integrations: Integrations
  /**
   * Returns the caller, as for `fastifyIntegrations`, within 10 s. With it, the portal finds the organization if the
   * address has none. Default: the address must contain it, as in `/integrations/#/<organization id>`.
   */
  readonly resolveSession?: (
    request: FastifyRequest,
  ) => Session | null | undefined | Promise<Session | null | undefined>
  /** The prefix of `fastifyIntegrations`, from the root of the server. Default none. */
  readonly apiPrefix?: string
  /**
   * The sign-in page. `{url}` is replaced by the address to return to. Default: the portal only shows that a sign-in is
   * needed.
   */
  readonly signInUrl?: string
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
  /** The available screens. Default: all. */
  readonly features?: readonly PortalFeature[]
  /** Who may embed the portal in a frame: sources of the CSP's `frame-ancestors`. Default `["'self'"]`. */
  readonly frameAncestors?: readonly string[]
}

const OPTION_NAMES = Object.keys({
  integrations: true,
  resolveSession: true,
  apiPrefix: true,
  signInUrl: true,
  brand: true,
  apiReferenceUrl: true,
  homeUrl: true,
  signOutUrl: true,
  locale: true,
  messages: true,
  readOnly: true,
  features: true,
  frameAncestors: true,
} satisfies Record<keyof FastifyPortalOptions, true>)

/** Options of `register` that are Fastify's own. */
const REGISTER_OPTIONS = ['prefix', 'logLevel', 'logSerializers']

/**
 * @throws ConfigurationError for an option that is missing, unknown or invalid
 */
export function checkOptions(options: FastifyPortalOptions): void {
  const known = [...OPTION_NAMES, ...REGISTER_OPTIONS]
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  expect(unknown === undefined, `there is no option ${unknown}. Options: ${OPTION_NAMES.join(', ')}.`)
  const { integrations, apiPrefix = '', brand, features = [], frameAncestors = [], locale } = options
  expect(
    typeof integrations?.settings?.productName === 'string',
    'integrations is missing: pass the result of createIntegrations({ … }).',
  )
  expect(
    /^(\/[\w.~-]+)*$/.test(apiPrefix),
    'apiPrefix must be a path without a trailing slash, such as /api.',
  )
  expect(
    features.every((feature) => PORTAL_FEATURES.includes(feature)),
    `features may contain: ${PORTAL_FEATURES.join(', ')}.`,
  )
  expect(
    frameAncestors.every((source) => /^[^\s;,]+$/.test(source)),
    "frameAncestors must be a list of sources, such as ['https://app.example.com'].",
  )
  expect(locale === undefined || isLanguageTag(locale), 'locale must be a language tag, such as de or en-GB.')
  const problem = brandProblem(brand ?? {})
  expect(problem === null, problem ?? '')
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function expect(holds: boolean, message: string): asserts holds {
  if (!holds) throw new ConfigurationError(`fastifyPortal: ${message}`)
}
