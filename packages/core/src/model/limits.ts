import { defaultsOf, type OptionTable } from '../lib/option-check.ts'

/** Limits on requests and their content. Characters are Unicode code points. */
export interface Limits {
  /**
   * False: no limits per minute, for tests and hosts whose gateway limits requests. Everything else stays limited. Default
   * true.
   */
  readonly enabled: boolean
  /** Requests per minute and API key, over all partner routes. Default 60. */
  readonly requestsPerMinute: number
  /** Quote starts per minute and API key. They count as requests, too. Default 10. */
  readonly startsPerMinute: number
  /** Failed authentications per minute and client address. An IPv6 /64 counts as one address. Default 30. */
  readonly failedAuthenticationsPerMinute: number
  /** Test deliveries per minute and webhook endpoint. Default 10. */
  readonly testsPerEndpointPerMinute: number
  /** Test deliveries per minute and organization. Default 60. */
  readonly testsPerOrganizationPerMinute: number
  /** Concurrent requests per API key that wait for events or a quotation, in one process. Default 5. */
  readonly eventWaitsPerApiKey: number
  /** Concurrent requests that wait for events or a quotation, in one process. Default 1,000. */
  readonly eventWaits: number
  /** Bytes of a JSON body on a partner route. Default 4 MiB: fits the longest `requirementsText` in any script. */
  readonly jsonBodyBytes: number
  /** Bytes of a JSON body on a session route. Default 128 KiB: fits the longest description in any script. */
  readonly sessionBodyBytes: number
  /** Characters of a name. Default 200. */
  readonly nameLength: number
  /** Characters of a description. Default 10,000. */
  readonly descriptionLength: number
  /** Characters of `requirementsText`. Default 500,000. */
  readonly requirementsTextLength: number
  /** Bytes of the serialized `metadata` object. Default 16 KiB. */
  readonly metadataBytes: number
  /** Files per quote start. Default 5. */
  readonly files: number
  /** Bytes per file. Default 10 MiB. */
  readonly fileBytes: number
  /** Characters of a webhook endpoint's URL. Default 2,048. */
  readonly urlLength: number
  /** Webhook endpoints per organization. Default 50. */
  readonly webhookEndpoints: number
  /** Longest time in seconds that a rotated signing secret may keep signing. Default 604,800 (a week). */
  readonly secretOverlapSeconds: number
  /** API keys per organization, without revoked and expired ones. Default 100. */
  readonly apiKeysPerOrganization: number
  /** API keys per member, without revoked and expired ones. Default 25. */
  readonly apiKeysPerMember: number
  /** Longest lifetime of an API key, in days. Default 731 (two years). */
  readonly apiKeyLifetimeDays: number
}

/** Characters of the host's member ids. */
export const MEMBER_ID_LENGTH = 128

/** Characters of a partner's own ID of a quotation. */
export const EXTERNAL_ID_LENGTH = 200

/** Characters of an error code reported by a pipeline. */
export const ERROR_CODE_LENGTH = 128

export const LIMIT_OPTIONS: OptionTable<Limits> = {
  enabled: { default: true },
  requestsPerMinute: { default: 60, min: 1 },
  startsPerMinute: { default: 10, min: 1 },
  failedAuthenticationsPerMinute: { default: 30, min: 1 },
  testsPerEndpointPerMinute: { default: 10, min: 1 },
  testsPerOrganizationPerMinute: { default: 60, min: 1 },
  eventWaitsPerApiKey: { default: 5, min: 0 },
  eventWaits: { default: 1000, min: 0 },
  jsonBodyBytes: { default: 4 * 1024 * 1024, min: 1 },
  sessionBodyBytes: { default: 128 * 1024, min: 1 },
  nameLength: { default: 200, min: 1 },
  descriptionLength: { default: 10_000, min: 0 },
  requirementsTextLength: { default: 500_000, min: 1 },
  metadataBytes: { default: 16 * 1024, min: 0 },
  files: { default: 5, min: 0 },
  fileBytes: { default: 10 * 1024 * 1024, min: 1 },
  urlLength: { default: 2048, min: 1 },
  webhookEndpoints: { default: 50, min: 0 },
  secretOverlapSeconds: { default: 7 * 24 * 60 * 60, min: 0 },
  apiKeysPerOrganization: { default: 100, min: 0 },
  apiKeysPerMember: { default: 25, min: 0 },
  apiKeyLifetimeDays: { default: 731, min: 1 },
}
export const DEFAULT_LIMITS: Limits = defaultsOf(LIMIT_OPTIONS)
