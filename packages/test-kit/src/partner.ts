import { randomUUID } from 'node:crypto'
import {
  IntegrationError,
  type Integrations,
  MANAGE_INTEGRATIONS,
  type Member,
  type WebhookEndpoint,
} from '@quickquote/core'
import type { WebhookPayload } from '@quickquote/webhook-signature'
import type { PartnerReceiver } from './partner-receiver.ts'
import { createTestQuote, type HandOver, type TestQuote } from './quote.ts'
import type { StartQuote } from './quote-start.ts'
import type { ReceivedWebhook, ReceiverResponse } from './receiver.ts'

export interface PartnerOptions {
  /** Default: unique. Pass one of your own if your tables need to know the organization. */
  readonly organizationId?: string
  /** The member who owns the key and the endpoint. Default: unique. */
  readonly memberId?: string
  /** The subscriptions of its endpoint. Default: every event type. */
  readonly events?: readonly string[]
  /** `always` also receives events of quotes from the web app. Default `headless_only`. */
  readonly triggerMode?: WebhookEndpoint['trigger_mode']
}

/** A partner: an organization with an API key, and a webhook endpoint with a receiver. */
export interface Partner {
  readonly organizationId: string
  /** Its member, with `manage_integrations`: for the services of `integrations`. */
  readonly member: Member
  /** The API key, for the header `X-API-Key`, with the longest lifetime the host allows. */
  readonly key: string
  readonly endpointId: string
  /** The signing secret of its webhooks. Assign the new one after a rotation. */
  secret: string
  /** The accepted webhooks (verified, and answered with 2xx), oldest first. */
  readonly webhooks: readonly WebhookPayload[]
  /** All requests with raw headers and bodies, whatever the response. */
  readonly requests: readonly ReceivedWebhook[]
  /**
   * Starts a quote through the kit's app, or else through `integrations`.
   * @param body the fields of the start. Default: some `requirementsText`
   * @throws Error with the app's response unless it is 202; without an app, IntegrationError VALIDATION_FAILED
   */
  startQuote(body?: object): Promise<TestQuote>
  /** A quote started in another way: with files, or in the web app. */
  quote(quotationId: string): TestQuote
  /**
   * Sets the receiver's response to the next `times` (1) webhooks, instead of 204: a status, a delay, a reset, or
   * nothing at all. Requested failures are not errors of `kit.deliver()`.
   */
  answerNext(response: ReceiverResponse, times?: number): void
}

/**
 * @param receiver gets its secret here
 */
export async function createPartner(
  {
    integrations,
    receiver,
    startQuote,
    handOver,
  }: {
    integrations: Integrations
    receiver: PartnerReceiver
    startQuote: StartQuote
    handOver: HandOver
  },
  { organizationId = randomUUID(), memberId = randomUUID(), events, triggerMode }: PartnerOptions,
): Promise<Partner> {
  const { settings, apiKeys, webhookEndpoints } = integrations
  const member: Member = {
    memberId,
    organizationId: organizationId.toLowerCase(),
    permissions: new Set([MANAGE_INTEGRATIONS]),
  }
  const name = 'A partner of a test'
  const { id: apiKeyId, key: value } = await apiKeys.create(member, {
    name,
    expires_at: new Date(
      settings.now().getTime() + settings.limits.apiKeyLifetimeDays * DAY_MS,
    ).toISOString(),
  })
  const { id: endpointId, secret } = await webhookEndpoints.create(member, {
    name,
    url: receiver.url,
    events: events ?? webhookEndpoints.eventCatalog(member).map(({ type }) => type),
    ...(triggerMode !== undefined && { trigger_mode: triggerMode }),
  })
  receiver.secret = secret.reveal()
  const key = value.reveal()
  const quote = (quotationId: string) =>
    createTestQuote(integrations, member.organizationId, quotationId, handOver)
  return {
    organizationId: member.organizationId,
    member,
    key,
    endpointId,
    get secret() {
      return receiver.secret
    },
    set secret(changed) {
      receiver.secret = changed
    },
    webhooks: receiver.webhooks,
    requests: receiver.requests,
    async startQuote(body = { requirementsText: 'Customers sign in and see their invoices.' }) {
      return quote(await startQuote({ organizationId: member.organizationId, apiKeyId, key }, body))
    },
    quote,
    answerNext: (response, times = 1) => receiver.answerNext(response, times),
  }
}

/** Deletes it, so that nothing is due for it any more. */
export async function removeEndpoint(
  integrations: Integrations,
  { member, endpointId }: Partner,
): Promise<void> {
  try {
    await integrations.webhookEndpoints.delete(member, endpointId)
  } catch (error) {
    // The test has already deleted it.
    if (!(error instanceof IntegrationError)) throw error
  }
}

const DAY_MS = 86_400_000
