import { headerNames } from './header-names.ts'
import type { WebhookPayload } from './payload.ts'
import type { RawBody } from './raw-body.ts'
import { importSecret, type Secret, type SigningKey, secretList } from './signing-key.ts'
import { WebhookVerificationError, type WebhookVerificationErrorCode } from './verification-error.ts'
import { verify } from './verify.ts'
import { headerOf, type WebhookHeaders } from './webhook-headers.ts'

/** How the handlers for Fastify, Express and `fetch`-style servers receive webhooks. */
export interface ReceiverOptions {
  /** The endpoint's signing secret; a list while it is being rotated. */
  readonly secrets: Secret | readonly Secret[]
  /** The product name of the sender: `Acme` for `X-Acme-Signature`. Default `Service`. */
  readonly headerPrefix?: string
  /** How far the timestamp may be from the clock, either way, in seconds. Default 300. */
  readonly tolerance?: number
  /** The largest body that is read, in bytes; a larger one is answered 413. Default 64 KiB. */
  readonly maxBodyBytes?: number
  /**
   * Called with each event whose signature was verified. When it returns, the answer is 204; `'gone'` answers 410, which
   * ends this event for this endpoint. When it throws, the answer is a 500, so that the event is sent again. The
   * sender waits about 10 seconds: leave what takes longer to a queue.
   */
  readonly onEvent: (event: WebhookPayload) => void | 'gone' | Promise<void> | Promise<'gone' | undefined>
  /**
   * Runs `handle`, which calls `onEvent`, unless the event of this id was handled before. When `handle` throws, forget the
   * id and let the error through: the event comes again. Default: events are handled as often as they come.
   */
  readonly once?: (eventId: string, handle: () => Promise<void>) => Promise<void>
  /** Told of each delivery that was refused, for your log. */
  readonly onRefused?: (error: WebhookVerificationError) => void
}

/** What to answer. The text shows in the sender's delivery log. */
export interface Answer {
  readonly status: number
  readonly text: string
}

export interface Receiver {
  readonly maxBodyBytes: number
  /** What can be refused before the body is read. */
  refuse(method: string, headers: WebhookHeaders): Answer | undefined
  /**
   * @param body the raw body; anything else means that it was parsed before
   * @throws WebhookVerificationError BODY_NOT_RAW, which is a mistake of the receiver and not of the sender; and what the
   * receiver's own functions throw
   */
  receive(headers: WebhookHeaders, body: unknown): Promise<Answer>
}

export const BODY_TOO_LARGE: Answer = { status: 413, text: 'BODY_TOO_LARGE' }

/** 401: not by somebody who has the secret, as far as can be told. 400: not a delivery at all. */
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
 * What the handlers have in common.
 *
 * @throws TypeError when there is no secret, an empty one, or an impossible header prefix: a receiver that is set up wrong
 * does not start.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const secrets = secretList(options.secrets)
  headerNames(options.headerPrefix)
  const maxBodyBytes = options.maxBodyBytes ?? 64 * 1024
  // Not before the first delivery: some edge runtimes forbid Web Crypto outside of a request.
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
    refuse(method, headers) {
      if (method !== 'POST') return { status: 405, text: 'METHOD_NOT_ALLOWED' }
      // Webhooks are not compressed, and a stranger's body is not worth unpacking.
      const encoding = headerOf(headers, 'Content-Encoding').toLowerCase()
      if (encoding !== '' && encoding !== 'identity') return { status: 415, text: 'BODY_COMPRESSED' }
      // NaN, for a length that did not come, is not larger.
      if (Number(headerOf(headers, 'Content-Length')) > maxBodyBytes) return BODY_TOO_LARGE
      return undefined
    },
    async receive(headers, body) {
      // verify() itself looks whether it is raw.
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
