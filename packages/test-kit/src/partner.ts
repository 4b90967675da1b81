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
import { createTestQuote, type TestQuote } from './quote.ts'
import type { StartQuote } from './quote-start.ts'
import type { ReceivedWebhook, ReceiverResponse } from './receiver.ts'

export interface PartnerOptions {
  /** Default: one that no other test has. Give one of yours when your tables know organizations. */
  readonly organizationId?: string
  /** The member who owns the key and the endpoint. Default: one that no other test has. */
  readonly memberId?: string
  /** What its endpoint subscribes to. Default: every event of the catalog. */
  readonly events?: readonly string[]
  /** `always` hears of quotes of the web app, too. Default `headless_only`. */
  readonly triggerMode?: WebhookEndpoint['trigger_mode']
}

/** A partner of the host: an organization with an API key, and a webhook endpoint with a receiver behind it. */
export interface Partner {
  readonly organizationId: string
  /** Its member, who holds `manage_integrations`: for the services of `integrations`. */
  readonly member: Member
  /** The API key, for the header `X-API-Key`. It is good for as long as the host lets keys be. */
  readonly key: string
  readonly endpointId: string
  /** The signing secret that its webhooks must verify with. Assign the new one after a rotation. */
  secret: string
  /** The webhooks that it took: they verified, and were answered with 2xx. The first that came is the first. */
  readonly webhooks: readonly WebhookPayload[]
  /** Whatever came in, and whatever was answered: headers and raw bodies. */
  readonly requests: readonly ReceivedWebhook[]
  /**
   * Starts a quote: through the host's app if the kit has one, otherwise through `integrations`.
   * @param body the fields of the start. Default: some `requirementsText`
   * @throws Error with the answer of the app when that is not 202; without an app, IntegrationError VALIDATION_FAILED
   */
  startQuote(body?: object): Promise<TestQuote>
  /** A quote that was started in another way: with files, or in the web app. */
  quote(quotationId: string): TestQuote
  /**
   * What its receiver answers to the next `times` (1) webhooks, in place of 204: a status, a delay, a reset, or nothing at
   * all. What was asked for is no error of `kit.deliver()`.
   */
  answerNext(response: ReceiverResponse, times?: number): void
}

/** @param receiver gets its secret here */
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
    handOver: (quotationId: string) => Promise<void>
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
  const quote = (quotationId: string) => createTestQuote(integrations, quotationId, handOver)
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

/** Nothing is due for its endpoint any more. */
export async function removeEndpoint(
  integrations: Integrations,
  { member, endpointId }: Partner,
): Promise<void> {
  try {
    await integrations.webhookEndpoints.delete(member, endpointId)
  } catch (error) {
    // The test has deleted it itself.
    if (!(error instanceof IntegrationError)) throw error
  }
}

const DAY_MS = 86_400_000
