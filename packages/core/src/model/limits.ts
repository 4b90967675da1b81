import { defaultsOf, type OptionTable } from '../lib/option-check.ts'

/** Limits of what a client may send, all of them options of the host. Characters are Unicode code points. */
export interface Limits {
  /** Requests a minute of one API key over all partner routes. Default 60. */
  readonly requestsPerMinute: number
  /** Quote starts a minute of one API key, in addition to the general limit. Default 10. */
  readonly startsPerMinute: number
  /** Failed authentications a minute of one client address; all addresses of an IPv6 /64 count as one. Default 30. */
  readonly failedAuthenticationsPerMinute: number
  /** Test deliveries a minute to one webhook endpoint. Default 10. */
  readonly testsPerEndpointPerMinute: number
  /** Test deliveries a minute to all endpoints of one organization. Default 60. */
  readonly testsPerOrganizationPerMinute: number
  /** Requests of one API key that wait for events at the same time, in one process. Default 5. */
  readonly eventWaitsPerApiKey: number
  /** Requests of all API keys that wait for events at the same time, in one process. Default 1,000. */
  readonly eventWaits: number
  /** Bytes of the JSON body of a partner route. Default 4 MiB: `requirementsText` at its limit fits in any script. */
  readonly jsonBodyBytes: number
  /** Bytes of a JSON body of a session route. Default 128 KiB: the longest description fits in any script. */
  readonly sessionBodyBytes: number
  /** Characters of a name. Default 200. */
  readonly nameLength: number
  /** Characters of a description. Default 10,000. */
  readonly descriptionLength: number
  /** Characters of `requirementsText`. Default 500,000. */
  readonly requirementsTextLength: number
  /** Bytes of the serialized `metadata` object. Default 16 KiB. */
  readonly metadataBytes: number
  /** Files of one quote start. Default 5. */
  readonly files: number
  /** Bytes of one file. Default 10 MiB. */
  readonly fileBytes: number
  /** Characters of a webhook endpoint's URL. Default 2,048. */
  readonly urlLength: number
  /** Webhook endpoints of one organization. Default 50. */
  readonly webhookEndpoints: number
  /** The longest time for which a rotated signing secret may go on signing, in seconds. Default 604,800 (a week). */
  readonly secretOverlapSeconds: number
  /** API keys of one organization that are neither revoked nor expired. Default 100. */
  readonly apiKeysPerOrganization: number
  /** API keys of one member that are neither revoked nor expired. Default 25. */
  readonly apiKeysPerMember: number
  /** The longest lifetime of an API key, in days. Default 731 (two years). */
  readonly apiKeyLifetimeDays: number
}

/** Characters of a member's id, which is the host's. */
export const MEMBER_ID_LENGTH = 128

/** Characters of an error code that a pipeline reports. */
export const ERROR_CODE_LENGTH = 128

export const LIMIT_OPTIONS: OptionTable<Limits> = {
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
