import { createHmac } from 'node:crypto'
import { headerNames, sign, type WebhookPayload } from '@quickquote/webhook-signature'
import { isAbort, withDeadline } from '../waiting.ts'
import { print } from './print.ts'
import { signingSecret } from './state.ts'
import { UsageError } from './usage-error.ts'

/** The options of the command line. */
export type Options = Readonly<
  Partial<
    Record<'base-url' | 'forward-to' | 'types' | 'after' | 'to' | 'secret-file' | 'header-prefix', string>
  > & { 'standard-webhooks'?: boolean }
>

export interface Forwarding {
  readonly url: string
  readonly secret: string
  readonly headerPrefix: string | undefined
  /** Also sends the headers of Standard Webhooks. */
  readonly standardWebhooks: boolean
}

/** The timeout of real deliveries. */
const TIMEOUT_MS = 10_000

/** @throws UsageError */
export function checkUrl(option: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${option} is missing. See quickquote --help.`)
  if (!isHttpUrl(value)) {
    throw new UsageError(`--${option} must be an http(s) URL, such as http://localhost:3000/webhooks.`)
  }
  return value
}

function isHttpUrl(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol)
  } catch {
    return false
  }
}

/** Prints the secret, unless the user has it in a file. @throws UsageError */
export async function forwardingTo(url: string, options: Options): Promise<Forwarding> {
  const { 'secret-file': file, 'header-prefix': headerPrefix } = options
  const secret = await signingSecret(file)
  if (file === undefined) print(`Signing secret of your receiver: ${secret}`)
  return { url, secret, headerPrefix, standardWebhooks: options['standard-webhooks'] ?? false }
}

/**
 * Sends an event like the service: with the same bytes, headers and signature.
 * @returns the status of the response; null if there was none in time
 * @throws AbortError once the signal aborts
 */
export async function forward(
  event: WebhookPayload,
  { url, secret, headerPrefix, standardWebhooks }: Forwarding,
  signal?: AbortSignal,
): Promise<number | null> {
  // Serializing again yields the service's bytes.
  const body = JSON.stringify(event)
  const timestamp = Math.floor(Date.now() / 1000)
  const names = headerNames(headerPrefix)
  const headers = {
    [names.contentType]: 'application/json',
    [names.eventId]: event.id,
    [names.eventType]: event.type,
    [names.timestamp]: String(timestamp),
    [names.signature]: await sign({ secret, timestamp, body }),
    ...(standardWebhooks && standardHeaders({ id: event.id, secret, timestamp, body })),
    'User-Agent': 'quickquote-cli',
  }
  async function post(each: AbortSignal): Promise<number> {
    const response = await fetch(url, { method: 'POST', redirect: 'manual', signal: each, headers, body })
    await response.body?.cancel()
    return response.status
  }
  try {
    return await withDeadline(post, TIMEOUT_MS, signal)
  } catch (error) {
    if (isAbort(error)) throw error
    return null
  }
}

/** Their key is the decoded base64 after `whsec_`. */
function standardHeaders(webhook: { id: string; secret: string; timestamp: number; body: string }) {
  const { id, secret, timestamp, body } = webhook
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
