import { ConfigurationError, type Integrations } from '@quickquote/core'
import {
  type Brand,
  type Completed,
  checkBrand,
  checkOptionNames,
  completeOptions,
  DEFAULT_PROBLEM_TYPE_BASE,
  hasMethods,
  INTEGRATIONS_OPTION,
  isFunction,
  isHttpUrl,
  isObject,
  isPageAddress,
  isText,
  isTime,
  listOf,
  matching,
  type OptionTable,
  oneOf,
  parseUrl,
  REGISTER_OPTIONS,
  SESSION_TIMEOUT_MS,
  TIMER,
  trimEndOf,
} from '@quickquote/core/internal'
import type { DescribeMembers } from './answers/member-names.ts'
import type { SessionResolver } from './auth/session-auth.ts'
import type { RedisClient } from './limits/redis-counter.ts'

/** An OpenAPI security scheme. */
type SessionScheme =
  | {
      readonly type: 'apiKey'
      readonly in: 'cookie' | 'header'
      readonly name: string
      readonly description?: string
    }
  | { readonly type: 'http'; readonly scheme: string; readonly description?: string }

/** The logo above the documentation. */
export interface ApiDocsLogo {
  /** Its media type: `image/svg+xml`, `image/png`, `image/jpeg` or `image/webp`. */
  readonly type: string
  /** The image itself: bytes, or the text of an SVG. */
  readonly content: Uint8Array | string
}

/** As for the portal. */
export type ApiDocsBrand = Brand

export interface ApiDocsOptions {
  /** Path of the documentation, below the prefix of the plugin. Default `/api-docs`. */
  readonly path?: string
  /** How clients send the host's session. Default: a cookie named `session`. */
  readonly sessionScheme?: SessionScheme
  /** The title of the documentation. Default `Quick Quote integrations`. */
  readonly title?: string
  /** An introduction in Markdown, above the section on errors. Default: a sentence about Quick Quotes. */
  readonly description?: string
  /** A logo above the title. Default none. */
  readonly logo?: ApiDocsLogo | null
  /** The name, theme and colors of your product, as for the portal. Default: none, and no header. */
  readonly brand?: ApiDocsBrand | null
  /** Where the name of your product at the top leads, such as your app. Default: nowhere. */
  readonly homeUrl?: string | null
  /** The name and URL of your API's license. Default: null, no license line. */
  readonly license?: { readonly name: string; readonly url?: string } | null
}

/** The announced end of a route, for its clients (RFC 9745, RFC 8594). */
export interface Deprecation {
  /** Since when, or from when, the route is deprecated. */
  readonly since: Date
  /** When it stops working, not before `since`. Default: not decided. */
  readonly sunset?: Date
  /** A page that says what to do instead. Default none. */
  readonly link?: string
}

/** A worker from `createDeliveryWorker`. */
export interface StartableWorker {
  readonly integrations?: Integrations
  start(): Promise<void>
  /** Never rejects. */
  stop(): Promise<void>
}

/** The options of the plugin, besides Fastify's own such as `prefix` and `logLevel`. */
export interface FastifyIntegrationsOptions {
  /** Your integrations, from `createIntegrations`. */
  readonly integrations: Integrations
  /** Returns the member who calls a session route, or null. Called once per request. */
  readonly resolveSession: SessionResolver
  /**
   * Where clients reach your app: an https URL, also with a path (`https://api.example.com/quotes`); http for loopback only.
   * The `prefix` of the plugin follows it. `Link`, `Location` and the `servers` of the documentation then begin with it,
   * whatever host a request names. Set it if a gateway strips a path, and for clients that cannot use a link without a
   * host. Default: links are paths.
   */
  readonly publicUrl?: string
  /**
   * Runs a worker with the app. The app fails to start if the worker does; `app.close()` stops it after the last
   * request. Default none: run workers elsewhere.
   */
  readonly worker?: StartableWorker
  /** Timeout of `resolveSession` in milliseconds; then the response is 503. Default 10,000. */
  readonly sessionTimeoutMs?: number
  /** Other origins whose pages may make changes, such as `https://app.example.com`. Default none. */
  readonly trustedOrigins?: readonly string[]
  /** Adds the API key routes. Pass false if you have your own screens and call `integrations.apiKeys`. Default true. */
  readonly apiKeyRoutes?: boolean
  /**
   * Returns the names of members, by ID, for the `owner_name` of keys, the `actor_name` of audit entries and the
   * `member_name` of `GET …/me`. Called once for each response; nothing is stored. If it throws or takes more than 2 s, the
   * names are null. Default none: no such fields.
   */
  readonly describeMembers?: DescribeMembers
  /** The interactive API documentation; false turns it off. Default at `/api-docs`. */
  readonly apiDocs?: ApiDocsOptions | false
  /** Includes our routes and their security schemes in the host's own `@fastify/swagger` document. Default false. */
  readonly inHostDocument?: boolean
  /**
   * A shared ioredis client (Redis 5 or later) for exact limits over all instances. Default: each process counts for
   * itself.
   */
  readonly redis?: RedisClient
  /** If Redis does not respond: `open` lets requests pass, `closed` answers 503. Default `open`. */
  readonly onLimiterError?: 'open' | 'closed'
  /**
   * The prefix of a problem's `type`, followed by its code: a URL of your documentation, or a URN. Default
   * `urn:problem-type:quickquote:`.
   */
  readonly problemTypeBase?: string
  /**
   * Routes that you are going to turn off, by their `operationId`, such as `listQuotations`: their responses carry
   * `Deprecation`, `Sunset` and a `Link`, and the documentation marks them. They work as before. Default none.
   */
  readonly deprecated?: Readonly<Record<string, Deprecation>>
}

/** The checked options with their defaults. */
export type PluginSettings = Omit<
  Completed<FastifyIntegrationsOptions, typeof OPTIONS>,
  'apiDocs' | 'publicUrl'
> & {
  readonly apiDocs: Required<ApiDocsOptions> | null
  /** Also for the host's own document, if ours is turned off. */
  readonly sessionScheme: SessionScheme
  /** Without a slash at its end. */
  readonly publicUrl: string | null
}

const DEFAULT_SESSION_SCHEME: SessionScheme = {
  type: 'apiKey',
  in: 'cookie',
  name: 'session',
  description: 'The session of the application that hosts these routes.',
}

const SVG = 'image/svg+xml'
const LOGO_TYPES = [SVG, 'image/png', 'image/jpeg', 'image/webp']

/** @public: read by the generator of the reference */
export const API_DOCS_OPTIONS = {
  path: {
    default: '/api-docs',
    check: matching(/^(\/[\w.~-]+)+$/),
    rule: 'must be a path without a trailing slash, such as /api-docs.',
  },
  sessionScheme: {
    default: DEFAULT_SESSION_SCHEME,
    check: isSessionScheme,
    rule: "must be { type: 'apiKey', in: 'cookie' or 'header', name } or { type: 'http', scheme }.",
  },
  title: { default: 'Quick Quote integrations', check: isText, rule: 'must be a string.' },
  description: {
    default:
      'Start and read Quick Quotes from another system, and get notified of their progress by webhook.',
    check: isText,
    rule: 'must be a string.',
  },
  logo: {
    default: null,
    check: isLogo,
    rule: `must be { type, content }: a type of ${LOGO_TYPES.join(', ')} and the image as bytes, or the text of an SVG.`,
  },
  brand: { default: null, checkInside: checkBrand },
  homeUrl: {
    default: null,
    check: isPageAddress,
    rule: 'must be an address, such as / or https://app.example.com.',
  },
  license: {
    default: null,
    checkInside: (path, license: object) => void completeOptions(path, LICENSE_OPTIONS, license),
  },
} satisfies Record<keyof ApiDocsOptions, OptionTable[string]>

const LICENSE_OPTIONS = {
  name: { isRequired: true, check: isText, rule: 'must be the name of the license.' },
  url: { check: isHttpUrl, rule: 'must be an http(s) URL, such as https://acme.example/terms.' },
} satisfies OptionTable

/** @public: read by the generator of the reference */
export const OPTIONS = {
  integrations: INTEGRATIONS_OPTION,
  resolveSession: {
    isRequired: true,
    check: isFunction,
    rule: 'is missing: pass a function (request) => ({ memberId, organizations }) or null.',
  },
  publicUrl: {
    check: isPublicUrl,
    rule: 'must be an https URL without a query, such as https://api.example.com/quotes; http only for this machine (http://localhost:3000).',
  },
  worker: {
    check: hasMethods('start', 'stop'),
    rule: 'must be the result of createDeliveryWorker({ integrations }). The plugin starts and stops it.',
  },
  sessionTimeoutMs: { default: SESSION_TIMEOUT_MS, ...TIMER },
  trustedOrigins: {
    default: [] as readonly string[],
    check: listOf(isOrigin),
    rule: "must be a list of origins without a path, such as ['https://app.example.com'].",
  },
  apiKeyRoutes: { default: true },
  describeMembers: {
    check: isFunction,
    rule: 'must be a function (memberIds, { organizationId }) => ({ [memberId]: { name } }).',
  },
  apiDocs: {
    check: (apiDocs) => apiDocs === false || typeof apiDocs === 'object',
    rule: `must be false, or an object with: ${Object.keys(API_DOCS_OPTIONS).join(', ')}.`,
  },
  inHostDocument: { default: false },
  redis: {
    check: (redis: RedisClient | null) => isFunction(redis?.eval) && 'defineCommand' in Object(redis),
    rule: 'must be an ioredis client, such as new Redis(url) from the package ioredis.',
  },
  onLimiterError: {
    default: 'open',
    check: oneOf('open', 'closed'),
    rule: "must be 'open' or 'closed'.",
  },
  problemTypeBase: {
    default: DEFAULT_PROBLEM_TYPE_BASE,
    check: (base) => typeof base === 'string' && parseUrl(`${base}CODE`) !== null,
    rule: 'must be the start of an absolute URI, such as https://docs.example.com/errors#.',
  },
  deprecated: {
    default: {} as Readonly<Record<string, Deprecation>>,
    check: isObject,
    rule: 'must be an object, such as { listQuotations: { since: new Date() } }.',
  },
} satisfies Record<keyof FastifyIntegrationsOptions, OptionTable[string]>

/**
 * @throws ConfigurationError for an option that is missing, unknown or invalid
 */
export function resolveOptions(options: FastifyIntegrationsOptions): PluginSettings {
  const settings = completeOptions('fastifyIntegrations', OPTIONS, options, REGISTER_OPTIONS)
  const { integrations, worker, publicUrl, apiDocs = {} } = settings
  if ((worker?.integrations ?? integrations) !== integrations) {
    throw new ConfigurationError(
      'fastifyIntegrations: worker belongs to other integrations. Pass the same integrations to createDeliveryWorker and to the plugin.',
    )
  }
  const docs =
    apiDocs === false ? null : completeOptions('fastifyIntegrations: apiDocs', API_DOCS_OPTIONS, apiDocs)
  return {
    ...settings,
    publicUrl: publicUrl === undefined ? null : trimEndOf(new URL(publicUrl).href, '/'),
    apiDocs: docs,
    sessionScheme: docs?.sessionScheme ?? DEFAULT_SESSION_SCHEME,
  }
}

function isPublicUrl(text: unknown): boolean {
  const url = typeof text === 'string' ? parseUrl(text) : null
  return (
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
    url.href === url.origin + url.pathname
  )
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function isLogo({ type, content }: ApiDocsLogo): boolean {
  const isContent = content instanceof Uint8Array || (typeof content === 'string' && type === SVG)
  return LOGO_TYPES.includes(type) && isContent && content.length > 0
}

function isSessionScheme(scheme: SessionScheme): boolean {
  if (scheme?.type === 'http') return typeof scheme.scheme === 'string'
  return (
    scheme?.type === 'apiKey' && ['cookie', 'header'].includes(scheme.in) && typeof scheme.name === 'string'
  )
}

function isOrigin(origin: unknown): boolean {
  return typeof origin === 'string' && parseUrl(origin)?.origin === origin
}

/**
 * @throws ConfigurationError
 */
export function checkDeprecated(
  { deprecated }: Pick<PluginSettings, 'deprecated'>,
  operationIds: readonly string[],
): void {
  checkOptionNames('fastifyIntegrations: deprecated', deprecated, operationIds)
  for (const [name, each] of Object.entries(deprecated)) {
    const owner = `fastifyIntegrations: deprecated.${name}`
    const { since, sunset = since } = completeOptions(owner, DEPRECATION_OPTIONS, each)
    if (sunset < since) {
      throw new ConfigurationError(`${owner}.sunset must be a valid Date, not before \`since\`.`)
    }
  }
}

const DEPRECATION_OPTIONS = {
  since: { isRequired: true, check: isTime, rule: 'must be a valid Date.' },
  sunset: { check: isTime, rule: 'must be a valid Date, not before `since`.' },
  link: {
    check: isHttpUrl,
    rule: 'must be the address of a page, such as https://docs.example.com/changes.',
  },
} satisfies Record<keyof Deprecation, OptionTable[string]>
