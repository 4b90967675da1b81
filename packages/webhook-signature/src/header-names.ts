/** The header names of a delivery: five that are always sent, and two that are sent when applicable. */
export interface WebhookHeaderNames {
  readonly contentType: string
  readonly eventId: string
  readonly eventType: string
  /** The number of the event within its quotation, from 1. Not sent for events without a quotation. */
  readonly eventSequence: string
  readonly timestamp: string
  readonly signature: string
  /** Signatures with the previous secrets, separated by `, `, during the overlap of a rotation: see {@link verify}. */
  readonly previousSignature: string
}

/**
 * The header names of a delivery (specification, "Delivery headers").
 *
 * @param prefix The product name of the sender: `Acme` gives `X-Acme-Signature`. Letters, digits and single hyphens.
 * Default `Service`.
 * @throws TypeError if the prefix is not valid in a header name.
 */
export function headerNames(prefix = 'Service'): WebhookHeaderNames {
  if (!/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(prefix)) {
    throw new TypeError(
      'A header prefix may contain only letters, digits and single hyphens, like "Acme" or "Acme-Quotes"',
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
