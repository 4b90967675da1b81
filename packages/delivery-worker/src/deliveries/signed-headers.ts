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
import type { Target } from './targets.ts'

/** Makes all headers of an attempt. Throws if it cannot be signed. */
export function signedHeaders({ productName, delivery: policy }: Pick<Settings, 'productName' | 'delivery'>) {
  const names = headerNames(productName)
  const userAgent = `${productName}-Webhooks/${version}`
  return (
    { event_id, event_type, event_sequence, body }: ClaimedDelivery,
    { key, previousKeys, standardKeys, headers: own }: Target,
    created_at: Date,
  ): Record<string, string> => {
    const timestamp = signingTime(created_at)
    const attempt = { event_id, event_type, event_sequence, created_at }
    const headers = { ...own, ...requestHeaders(names, attempt, policy) }
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
