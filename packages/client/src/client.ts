import { type EventCalls, eventCalls } from './events.ts'
import { checkNames, type Names } from './options.ts'
import { type ProposalCalls, proposalCalls } from './proposals.ts'
import { type QuotationCalls, quotationCalls } from './quotations.ts'
import { createRequests } from './requests.ts'
import { type WebhookCalls, webhookCalls } from './webhooks.ts'

export interface ClientOptions {
  /**
   * The address of the service, with its prefix if any: `https://quotes.example.com`. May end in `/v1/integrations`.
   * Required; `undefined`, as of a missing environment variable, is a TypeError.
   */
  readonly baseUrl: string | undefined
  /** An API key of your organization: `pk_…`. Required, like `baseUrl`. */
  readonly apiKey: string | undefined
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Milliseconds for one attempt of a request, at most 2,147,483,647. Default 60,000. */
  readonly timeoutMs?: number
  /** The maximum number of retries; 0: none. Default 3. */
  readonly maxRetries?: number
}

/** Typed calls of the partner API (specification, "Partner integrations API"). */
export interface Client {
  readonly quotations: QuotationCalls
  readonly proposals: ProposalCalls
  readonly events: EventCalls
  readonly webhooks: WebhookCalls
}

const OPTIONS: Names<ClientOptions> = {
  baseUrl: true,
  apiKey: true,
  fetch: true,
  timeoutMs: true,
  maxRetries: true,
}

/**
 * Creates a client of the partner API. It sends nothing yet.
 *
 * A request is retried up to `maxRetries` times: after 429 and 503 when their `Retry-After` is over; after a lost
 * connection, a timeout, 502 and 504 with back-off. A start carries an idempotency key, so a retry never starts a
 * second quote. Redirects are not followed: the API key must not reach another address.
 *
 * @throws TypeError for an option that is missing, invalid or unknown, here and in every call
 */
export function createClient(options: ClientOptions): Client {
  checkNames(options, OPTIONS)
  const { baseUrl: given, apiKey, fetch = globalThis.fetch, timeoutMs = 60_000, maxRetries = 3 } = options
  const baseUrl = typeof given === 'string' ? given.replace(/\/v1\/integrations\/?$/, '') : ''
  if (!/^https?:\/\/[^?#]+$/.test(baseUrl)) {
    throw new TypeError('createClient: baseUrl must be an http(s) URL, such as https://quotes.example.com')
  }
  // The message does not repeat the value: it may be a key with a line break.
  if (typeof apiKey !== 'string' || !/^[!-~]+$/.test(apiKey)) {
    throw new TypeError('createClient: apiKey must be an API key (pk_…) without white space')
  }
  if (typeof fetch !== 'function') throw new TypeError('createClient: fetch must be a function')
  if (!(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs < 2 ** 31)) {
    throw new TypeError('createClient: timeoutMs must be a number, more than 0 and less than 2147483648')
  }
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) {
    throw new TypeError('createClient: maxRetries must be a whole number, 0 or more')
  }
  const requests = createRequests({ baseUrl, apiKey, fetch, timeoutMs, maxRetries })
  return {
    quotations: quotationCalls(requests),
    proposals: proposalCalls(requests),
    events: eventCalls(requests),
    webhooks: webhookCalls(),
  }
}
