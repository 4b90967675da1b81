/** The names of the headers of a delivery: five that are always sent, and two that are sent when they apply. */
export interface WebhookHeaderNames {
  readonly contentType: string
  readonly eventId: string
  readonly eventType: string
  /** The number of the event within its quotation, from 1. Not sent for events without a quotation. */
  readonly eventSequence: string
  readonly timestamp: string
  readonly signature: string
  /** A signature by the secret before, while the rotation of the secret overlaps: see {@link verify}. */
  readonly previousSignature: string
}

/**
 * The header names of a delivery (specification, "Delivery headers").
 *
 * @param prefix The product name of the sender: `Acme` gives `X-Acme-Signature`. Letters, digits and single hyphens.
 * Default `Service`.
 * @throws TypeError when the prefix cannot stand in a header name.
 */
export function headerNames(prefix = 'Service'): WebhookHeaderNames {
  if (!/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(prefix)) {
    throw new TypeError(
      'A header prefix has letters, digits and single hyphens only, like "Acme" or "Acme-Quotes"',
    )
  }
  return {
    contentType: 'Content-Type',
    eventId: `X-${prefix}-Event-Id`,
    eventType: `X-${prefix}-Event-Type`,
    eventSequence: `X-${prefix}-Event-Sequence`,
    timestamp: `X-${prefix}-Timestamp`,
    signature: `X-${prefix}-Signature`,
    previousSignature: `X-${prefix}-Signature-Previous`,
  }
}
