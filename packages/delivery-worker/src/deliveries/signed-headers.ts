import type { Settings } from '@quickquote/core'
import {
  type ClaimedDelivery,
  eventIdOf,
  requestHeaders,
  STANDARD_HEADERS,
  signingTime,
} from '@quickquote/core/internal'
import { headerNames, signWith } from '@quickquote/webhook-signature'
import type { Target } from './targets.ts'

/** All headers of an attempt. Throws if it cannot be signed. */
export type SignedHeaders = (
  delivery: ClaimedDelivery,
  target: Target,
  created_at: Date,
) => Record<string, string>

export function signedHeaders(
  { productName, delivery: policy }: Pick<Settings, 'productName' | 'delivery'>,
  userAgent: string,
): SignedHeaders {
  const names = headerNames(productName)
  return (
    { event_id, event_type, event_sequence, body },
    { key, previousKey, standardKeys, headers: own },
    created_at,
  ) => {
    const timestamp = signingTime(created_at)
    const attempt = { event_id, event_type, event_sequence, created_at }
    const headers = { ...own, ...requestHeaders(names, attempt, policy) }
    // Only one value: the specification's receivers compare everything after `v1=`.
    headers[names.signature] = signWith({ hmac: key, timestamp, body })
    if (previousKey !== null) {
      headers[names.previousSignature] = signWith({ hmac: previousKey, timestamp, body })
    }
    if (policy.standardWebhooks) {
      const content = `${eventIdOf(event_id)}.${timestamp}.${body}`
      headers[STANDARD_HEADERS.signature] = standardKeys.map((hmac) => `v1,${hmac(content)}`).join(' ')
    }
    headers['User-Agent'] = userAgent
    return headers
  }
}
