import { type Secret, verify, type WebhookHeaders, type WebhookPayload } from '@quickquote/webhook-signature'
import { checkNames, type Names } from './options.ts'

/** A `Request` with an unread body, or the headers and the raw body. */
export type WebhookRequest =
  | Request
  | { readonly headers: WebhookHeaders; readonly body: string | Uint8Array | ArrayBuffer }

export interface UnwrapOptions {
  /** The signing secret of the endpoint, `whsec_…`; several during a rotation. undefined is a TypeError. */
  readonly secret: Secret | readonly Secret[] | undefined
  /** The product name in the header names: `Acme` for `X-Acme-Signature`. Default `Service`. */
  readonly headerPrefix?: string
}

export interface WebhookCalls {
  /**
   * Verifies a webhook and returns its event. Deliveries may be repeated: deduplicate by the event's `id`.
   * @throws WebhookVerificationError of `@quickquote/webhook-signature` if it cannot be trusted: respond with 401
   * @throws TypeError without a secret, or for an invalid header prefix
   */
  unwrap(request: WebhookRequest, options: UnwrapOptions): Promise<WebhookPayload>
}

const UNWRAP: Names<UnwrapOptions> = { secret: true, headerPrefix: true }

export function webhookCalls(): WebhookCalls {
  return {
    async unwrap(request, options) {
      checkNames(options, UNWRAP)
      const { secret, headerPrefix } = options
      const { headers } = request
      const body = request instanceof Request ? await request.arrayBuffer() : request.body
      return verify({ headers, body, secrets: secret, ...(headerPrefix !== undefined && { headerPrefix }) })
    },
  }
}
