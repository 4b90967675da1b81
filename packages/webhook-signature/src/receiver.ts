import { headerNames } from './header-names.ts'
import type { WebhookPayload } from './payload.ts'
import type { RawBody } from './raw-body.ts'
import { importSecret, type Secret, type SigningKey, secretList } from './signing-key.ts'
import { WebhookVerificationError, type WebhookVerificationErrorCode } from './verification-error.ts'
import { verify } from './verify.ts'
import { headerOf, type WebhookHeaders } from './webhook-headers.ts'

/** Shared options of the handlers for Fastify, Express and Fetch-style servers. */
export interface ReceiverOptions {
  /** The endpoint's signing secret; a list during a rotation. undefined, as from an unset variable, is a TypeError. */
  readonly secrets: Secret | readonly Secret[] | undefined
  /** The product name of the sender: `Acme` for `X-Acme-Signature`. Default `Service`. */
  readonly headerPrefix?: string
  /** The accepted difference between the timestamp and the clock, in seconds, either way. Default 300. */
  readonly tolerance?: number
  /** The largest body to read, in bytes. Larger ones get 413. Default 64 KiB. */
  readonly maxBodyBytes?: number
  /**
   * Called with each verified event. The response is 204 when it returns; 410 for `'gone'`, which ends this event for
   * this endpoint; and 500 if it throws, so that the event is sent again. The sender waits about 10 seconds: use a
   * queue for longer work.
   */
  readonly onEvent: (event: WebhookPayload) => void | 'gone' | Promise<void> | Promise<'gone' | undefined>
  /**
   * Runs `handle`, which calls `onEvent`, unless this event id was handled before. If `handle` throws, forget the id
   * and rethrow: the event is sent again. Default: repeated events are handled repeatedly.
   */
  readonly once?: (eventId: string, handle: () => Promise<void>) => Promise<void>
  /** Called with each refused delivery, for your log. */
  readonly onRefused?: (error: WebhookVerificationError) => void
}

/** A response. Its text appears in the sender's delivery log. */
export interface Answer {
  readonly status: number
  readonly text: string
}

export interface Receiver {
  readonly maxBodyBytes: number
  /**
   * @param read returns the raw body, or BODY_TOO_LARGE; anything else was already parsed. Not called for what can be
   * refused without it
   * @throws WebhookVerificationError BODY_NOT_RAW, the receiver's own mistake; and errors of the receiver's functions
   */
  answer(method: string, headers: WebhookHeaders, read: () => unknown): Promise<Answer>
}

export const BODY_TOO_LARGE: Answer = { status: 413, text: 'BODY_TOO_LARGE' }

/** 401: probably not sent by anyone who has the secret. 400: not a delivery at all. */
const ERROR_STATUS: Readonly<Record<Exclude<WebhookVerificationErrorCode, 'BODY_NOT_RAW'>, 400 | 401>> = {
  MISSING_HEADER: 401,
  MALFORMED_TIMESTAMP: 400,
  TIMESTAMP_OUT_OF_TOLERANCE: 401,
  MALFORMED_SIGNATURE: 400,
  UNSUPPORTED_SIGNATURE_VERSION: 401,
  SIGNATURE_MISMATCH: 401,
  MALFORMED_BODY: 400,
}

/**
 * Creates the common part of all handlers.
 *
 * @throws TypeError if a secret is missing, empty or surrounded by white space or quotes, or the header prefix is
 * invalid: a misconfigured receiver does not start.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const secrets = secretList(options.secrets)
  headerNames(options.headerPrefix)
  const maxBodyBytes = options.maxBodyBytes ?? 64 * 1024
  // Only at the first delivery: some edge runtimes forbid Web Crypto outside a request.
  let imported: Promise<SigningKey[]> | undefined

  function keys(): Promise<SigningKey[]> {
    imported ??= Promise.all(
      secrets.map(async (secret) => (typeof secret === 'string' ? importSecret(secret) : secret)),
    )
    return imported
  }

  async function handle(event: WebhookPayload): Promise<Answer> {
    let gone = false
    const call = async () => {
      gone = (await options.onEvent(event)) === 'gone'
    }
    await (options.once === undefined ? call() : options.once(event.id, call))
    return { status: gone ? 410 : 204, text: '' }
  }

  return {
    maxBodyBytes,
    async answer(method, headers, read) {
      if (method !== 'POST') return { status: 405, text: 'METHOD_NOT_ALLOWED' }
      // Webhooks are not compressed, and a stranger's body is not worth decompressing.
      const encoding = headerOf(headers, 'Content-Encoding').toLowerCase()
      if (encoding !== '' && encoding !== 'identity') return { status: 415, text: 'BODY_COMPRESSED' }
      // A missing length is NaN, which is not larger.
      if (Number(headerOf(headers, 'Content-Length')) > maxBodyBytes) return BODY_TOO_LARGE
      const body = await read()
      if (body === BODY_TOO_LARGE) return BODY_TOO_LARGE
      // verify() checks whether it is raw.
      const delivery = { ...options, headers, body: body as RawBody, secrets: await keys() }
      const verdict = await verify(delivery).catch(verificationError)
      if (!(verdict instanceof WebhookVerificationError)) return handle(verdict)
      if (verdict.code === 'BODY_NOT_RAW') throw verdict
      options.onRefused?.(verdict)
      return { status: ERROR_STATUS[verdict.code], text: verdict.code }
    },
  }
}

function verificationError(error: unknown): WebhookVerificationError {
  if (error instanceof WebhookVerificationError) return error
  throw error
}
