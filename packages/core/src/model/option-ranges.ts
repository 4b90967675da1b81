import { MAX_TIMER_MS, type NumberRange } from '../lib/option-check.ts'
import type { DeliveryPolicy } from './delivery.ts'
import type { Limits } from './limits.ts'
import type { StartPolicy } from './quote-pipeline.ts'

const AT_LEAST_ONE: NumberRange = { min: 1 }
const OR_NONE: NumberRange = { min: 0 }
const TIMER: NumberRange = { min: 1, max: MAX_TIMER_MS }

export const LIMIT_RANGES: Readonly<Record<keyof Limits, NumberRange>> = {
  requestsPerMinute: AT_LEAST_ONE,
  startsPerMinute: AT_LEAST_ONE,
  failedAuthenticationsPerMinute: AT_LEAST_ONE,
  testsPerEndpointPerMinute: AT_LEAST_ONE,
  testsPerOrganizationPerMinute: AT_LEAST_ONE,
  eventWaitsPerApiKey: OR_NONE,
  eventWaits: OR_NONE,
  jsonBodyBytes: AT_LEAST_ONE,
  sessionBodyBytes: AT_LEAST_ONE,
  nameLength: AT_LEAST_ONE,
  descriptionLength: OR_NONE,
  requirementsTextLength: AT_LEAST_ONE,
  metadataBytes: OR_NONE,
  files: OR_NONE,
  fileBytes: AT_LEAST_ONE,
  urlLength: AT_LEAST_ONE,
  webhookEndpoints: OR_NONE,
  secretOverlapSeconds: OR_NONE,
  apiKeysPerOrganization: OR_NONE,
  apiKeysPerMember: OR_NONE,
  apiKeyLifetimeDays: AT_LEAST_ONE,
}

export const DELIVERY_RANGES: Readonly<Record<keyof DeliveryPolicy, NumberRange | 'boolean'>> = {
  maxAttempts: AT_LEAST_ONE,
  timeoutMs: TIMER,
  backoffMs: OR_NONE,
  backoffFactor: { min: 1, fraction: true },
  jitter: { min: 0, max: 1, fraction: true },
  maxRetryAfterMs: OR_NONE,
  maxResponseBytes: OR_NONE,
  maxRawResponseBytes: AT_LEAST_ONE,
  disableAfterMs: OR_NONE,
  warnAfterMs: OR_NONE,
  perEndpoint: AT_LEAST_ONE,
  standardWebhooks: 'boolean',
}

export const START_RANGES: Readonly<Record<keyof StartPolicy, NumberRange>> = {
  maxAttempts: AT_LEAST_ONE,
  backoffMs: OR_NONE,
  concurrency: AT_LEAST_ONE,
  callTimeoutMs: TIMER,
  timeoutMs: AT_LEAST_ONE,
}
