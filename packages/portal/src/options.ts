import { ConfigurationError, type Integrations, type Session } from '@quickquote/core'
import type { FastifyRequest } from 'fastify'

/** A text of the portal, or one for each plural category of its language (`Intl.PluralRules`), chosen by `{count}`. */
export type PortalMessage = string | Readonly<Record<string, string>>

export interface PortalBrand {
  /** The name of your product, at the top and in the title. Default: none, and the header is left out with it. */
  readonly name: string
  /** The address of an image of 24 by 24 pixels, on your own origin or as `data:`. Default: the first letter of the name. */
  readonly logo?: string
  /** Which appearance: `auto` follows the reader's system. Default `auto`. */
  readonly theme?: 'auto' | 'light' | 'dark'
  /**
   * Values of CSS custom properties, without the dashes: `{ primary: '#0f766e', radius: '4px' }`. `light-dark(…, …)` gives one
   * for each theme. The names are in the guide.
   */
  readonly tokens?: Readonly<Record<string, string>>
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

/** The options of the plugin. `prefix`, `logLevel` and the like are Fastify's. */
export interface FastifyPortalOptions {
  /** What `createIntegrations` returned: the portal shows its limits and the name in its headers. */
  readonly integrations: Integrations
  /**
   * Who calls, as for `fastifyIntegrations`, within 10 s. With it the page finds out the organization when the address names none.
   * Default: the address must name it, as `/integrations/#/<organization id>`.
   */
  readonly resolveSession?: (
    request: FastifyRequest,
  ) => Session | null | undefined | Promise<Session | null | undefined>
  /** The prefix that `fastifyIntegrations` was registered with, from the root of the server. Default none. */
  readonly apiPrefix?: string
  /** Where a member signs in. `{url}` in it stands for the address to come back to. Default: the portal only says so. */
  readonly signInUrl?: string
  readonly brand?: PortalBrand
  /** Shown as "API reference". Default: none. */
  readonly apiReferenceUrl?: string
  /** A language tag, as `de`. Default: the reader's, where there are texts for it, else English. */
  readonly locale?: string
  /** Other texts by language and key, and whole languages of your own. Default none. */
  readonly messages?: Readonly<Record<string, Readonly<Record<string, PortalMessage>>>>
  /** Whether nothing can be changed here. The routes themselves do not know of it. Default false. */
  readonly readOnly?: boolean
  /** The screens that there are. Default: all. */
  readonly features?: readonly PortalFeature[]
  /** Who may show the portal in a frame: sources of the CSP's `frame-ancestors`. Default `["'self'"]`. */
  readonly frameAncestors?: readonly string[]
}

const OPTION_NAMES = Object.keys({
  integrations: true,
  resolveSession: true,
  apiPrefix: true,
  signInUrl: true,
  brand: true,
  apiReferenceUrl: true,
  locale: true,
  messages: true,
  readOnly: true,
  features: true,
  frameAncestors: true,
} satisfies Record<keyof FastifyPortalOptions, true>)

/** Options of `register` that are Fastify's own. */
const REGISTER_OPTIONS = ['prefix', 'logLevel', 'logSerializers']

/** Nothing that could end a declaration and begin another one. */
const TOKEN_VALUE = /^[^;{}<>\\@]+$/

/** @throws ConfigurationError for an option that is missing, unknown or wrong, with how to mend it */
export function checkOptions(options: FastifyPortalOptions): void {
  const known = [...OPTION_NAMES, ...REGISTER_OPTIONS]
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  expect(unknown === undefined, `there is no option ${unknown}. Options: ${OPTION_NAMES.join(', ')}.`)
  const { integrations, apiPrefix = '', brand, features = [], frameAncestors = [], locale } = options
  expect(
    typeof integrations?.settings?.productName === 'string',
    'integrations is missing: pass what createIntegrations({ … }) returned.',
  )
  expect(/^(\/[\w.~-]+)*$/.test(apiPrefix), 'apiPrefix must be a path as /api, without a slash at its end.')
  expect(
    features.every((feature) => PORTAL_FEATURES.includes(feature)),
    `features may hold: ${PORTAL_FEATURES.join(', ')}.`,
  )
  expect(
    frameAncestors.every((source) => /^[^\s;,]+$/.test(source)),
    "frameAncestors must be a list of sources, as ['https://app.example.com'].",
  )
  expect(locale === undefined || isLanguageTag(locale), 'locale must be a language tag, as de or en-GB.')
  for (const [name, value] of Object.entries(brand?.tokens ?? {})) {
    expect(/^[a-z][a-z-]*$/.test(name), `brand.tokens: ${name} is no name of a custom property.`)
    expect(TOKEN_VALUE.test(value), `brand.tokens.${name} must be one CSS value, without ; { } < > \\ and @.`)
  }
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
