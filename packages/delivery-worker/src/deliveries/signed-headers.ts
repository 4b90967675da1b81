import type { Settings } from '@quickquote/core'
import {
  type ClaimedDelivery,
  eventIdOf,
  requestHeaders,
  STANDARD_HEADERS,
  signingTime,
  version,
} from '@quickquote/core/internal'
import { headerNames, signWith } from '@quickquote/webhook-signature'
import { signingOf } from './check-signing.ts'
import type { Target } from './targets.ts'

/** Makes all headers of an attempt. Throws if it cannot be signed. */
export function signedHeaders({ productName, delivery: policy }: Pick<Settings, 'productName' | 'delivery'>) {
  const names = headerNames(productName)
  const userAgent = `${productName}-Webhooks/${version}`
  return (
    { event_id, event_type, event_sequence, body, check_kind }: ClaimedDelivery,
    target: Target,
    attemptedAt: Date,
  ): Record<string, string> => {
    const { key, previousKeys, standardKeys, signedAt } = signingOf(target, check_kind, attemptedAt)
    const timestamp = signingTime(signedAt)
    const attempt = { event_id, event_type, event_sequence, created_at: signedAt }
    const headers = { ...target.headers, ...requestHeaders(names, attempt, policy) }
    // Only one value: the specification's receivers compare everything after `v1=`.
    headers[names.signature] = signWith({ hmac: key, timestamp, body })
    if (previousKeys.length > 0) {
      const signatures = previousKeys.map((hmac) => signWith({ hmac, timestamp, body }))
      headers[names.previousSignature] = signatures.join(', ')
    }
    if (policy.standardWebhooks) {
      const content = `${eventIdOf(event_id)}.${timestamp}.${body}`
      headers[STANDARD_HEADERS.signature] = standardKeys.map((hmac) => `v1,${hmac(content)}`).join(' ')
    }
    headers['User-Agent'] = userAgent
    return headers
  }
}
