import { ERRORS, type Settings } from '@quickquote/core'

/** What applies to all routes, before the first one: paragraphs without headings, which llms.txt does not allow here. */
export function introductionTo({ limits, productName }: Pick<Settings, 'limits' | 'productName'>): string {
  const { ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED } = ERRORS
  return [
    '**Authentication.** Partners send an API key in the `X-API-Key` header, never in the URL. Members use their session.',
    ...(limits.enabled
      ? [
          `**Limits.** Each key may send ${limits.requestsPerMinute} requests in any 60 seconds, ${limits.startsPerMinute} of them starts. Responses report what is left in \`RateLimit\`. After 429, wait for the seconds in \`Retry-After\`.`,
        ]
      : []),
    '**Idempotency.** Send a new `Idempotency-Key` with each start. For 24 hours, the same request with the same key returns the same quotation.',
    '**IDs.** Resources have UUIDs, events an `evt_` ID. An unknown ID returns 404, as does an ID of another organization to members; partners get 403.',
    `**Errors.** Errors are problem documents (RFC 9457) with a stable \`code\`. An unknown path returns ${ROUTE_NOT_FOUND.status} \`ROUTE_NOT_FOUND\`; an unsupported method returns ${METHOD_NOT_ALLOWED.status} \`METHOD_NOT_ALLOWED\`. Undocumented fields are ignored. After 500, 503 or no response, try again later.`,
    `**Verification.** Webhooks are signed: compute the \`v1\` signature of \`X-${productName}-Signature\` over timestamp, dot and raw body, refuse requests older than five minutes, and deduplicate by event ID.`,
  ].join('\n\n')
}
