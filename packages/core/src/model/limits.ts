import { CENTURY_DAYS, defaultsOf, type OptionsOf, type OptionTable } from '../lib/option-check.ts'

/** Characters of the host's member ids. */
export const MEMBER_ID_LENGTH = 128

/** Characters of a partner's own ID of a quotation. */
export const EXTERNAL_ID_LENGTH = 200

/** Characters of an error code reported by a pipeline. */
export const ERROR_CODE_LENGTH = 128

/** Limits on requests and their content. Characters are Unicode code points. */
export const LIMIT_OPTIONS = {
  /**
   * False: no limits per minute, for tests and hosts whose gateway limits requests. Everything else stays limited. Default
   * true.
   */
  enabled: { default: true },
  /** Requests per minute and API key, over all partner routes. Default 60. */
  requestsPerMinute: { default: 60, min: 1 },
  /** Quote starts per minute and API key. They count as requests, too. Default 10. */
  startsPerMinute: { default: 10, min: 1 },
  /** Failed authentications per minute and client address. An IPv6 /64 counts as one address. Default 30. */
  failedAuthenticationsPerMinute: { default: 30, min: 1 },
  /** Test deliveries per minute and webhook endpoint. A receiver check counts as five. Default 10. */
  testsPerEndpointPerMinute: { default: 10, min: 1 },
  /** Test deliveries per minute and organization. A receiver check counts as five. Default 60. */
  testsPerOrganizationPerMinute: { default: 60, min: 1 },
  /** Concurrent requests per API key that wait for events or a quotation, in one process. Default 5. */
  eventWaitsPerApiKey: { default: 5, min: 0 },
  /** Concurrent requests that wait for events or a quotation, in one process. Default 1,000. */
  eventWaits: { default: 1000, min: 0 },
  /** Bytes of a JSON body on a partner route. Default 4 MiB: fits the longest `requirementsText` in any script. */
  jsonBodyBytes: { default: 4 * 1024 * 1024, min: 1 },
  /** Bytes of a JSON body on a session route. Default 128 KiB: fits the longest description in any script. */
  sessionBodyBytes: { default: 128 * 1024, min: 1 },
  /** Characters of a name. Default 200. */
  nameLength: { default: 200, min: 1 },
  /** Characters of a description. Default 10,000. */
  descriptionLength: { default: 10_000, min: 0 },
  /** Characters of `requirementsText`. Default 500,000. */
  requirementsTextLength: { default: 500_000, min: 1 },
  /** Bytes of the serialized `metadata` object. Default 16 KiB. */
  metadataBytes: { default: 16 * 1024, min: 0 },
  /** Files per quote start. Default 5. */
  files: { default: 5, min: 0 },
  /** Bytes per file. Default 10 MiB. */
  fileBytes: { default: 10 * 1024 * 1024, min: 1 },
  /** Characters of a webhook endpoint's URL. Default 2,048. */
  urlLength: { default: 2048, min: 1 },
  /** Webhook endpoints per organization. Default 50. */
  webhookEndpoints: { default: 50, min: 0 },
  /** Longest time in seconds that a rotated signing secret may keep signing. Default 604,800 (a week). */
  secretOverlapSeconds: { default: 7 * 24 * 60 * 60, min: 0 },
  /** API keys per organization, without revoked and expired ones. Default 100. */
  apiKeysPerOrganization: { default: 100, min: 0 },
  /** API keys per member, without revoked and expired ones. Default 25. */
  apiKeysPerMember: { default: 25, min: 0 },
  /** Longest lifetime of an API key, in days. Default 731 (two years). */
  apiKeyLifetimeDays: { default: 731, min: 1, max: CENTURY_DAYS },
} as const satisfies OptionTable
export type Limits = OptionsOf<typeof LIMIT_OPTIONS>
export const DEFAULT_LIMITS: Limits = defaultsOf(LIMIT_OPTIONS)
