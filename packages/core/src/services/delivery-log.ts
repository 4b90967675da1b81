import { headerNames } from '@quickquote/webhook-signature'
import type { Static } from '@sinclair/typebox'
import { IntegrationError, invalidField } from '../lib/errors.ts'
import { type Page, readPage } from '../lib/page.ts'
import { requireFound } from '../lib/tenancy.ts'
import { optionalTimeOf } from '../lib/timestamp.ts'
import { validateUrlPart } from '../lib/validator.ts'
import type { Delivery, DeliveryAttempt, DeliveryHour, EndpointStatistics } from '../model/delivery.ts'
import { DeliveryHoursQuery, deliveryLogQuery } from '../model/delivery-log-query.ts'
import { HIDDEN_VALUE } from '../model/endpoint-headers.ts'
import { ERASED } from '../model/erasure.ts'
import { ANY_QUOTATION } from '../model/quotation.ts'
import { signedAt } from '../model/receiver-check.ts'
import { requestHeaders } from '../model/request-headers.ts'
import {
  type Member,
  managesIntegrations,
  requireManageIntegrations,
  requireViewIntegrations,
} from '../model/session.ts'
import { eventIdOf, uuidOfEvent } from '../model/webhook-event.ts'
import type { Context } from '../settings.ts'
import type { AttemptFilter, StoredAttemptDetails, StoredDelivery } from '../storage/delivery-log.ts'
import type { Storage } from '../storage/storage.ts'
import { audit, auditChanges } from './audit-log.ts'

/** The longest period of an hourly count, and the default one, in milliseconds. */
const LONGEST_COUNT_MS = 7 * 24 * 60 * 60 * 1000
const DEFAULT_COUNT_MS = 24 * 60 * 60 * 1000

/**
 * The deliveries of an organization. Reading requires `view_integrations`, resending `manage_integrations`
 * (PERMISSION_REQUIRED).
 */
export interface DeliveryLog {
  /**
   * Lists delivery attempts, including tests, newest first. `query` is a deliveryLogQuery; `endpoint_id` may be a
   * deleted endpoint.
   * @throws IntegrationError VALIDATION_FAILED, WEBHOOK_ENDPOINT_NOT_FOUND
   */
  list(member: Member, query?: unknown): Promise<Page<DeliveryAttempt>>
  /**
   * Counts attempts per hour (UTC), without tests and without empty hours. `query` is a DeliveryHoursQuery.
   * @throws IntegrationError VALIDATION_FAILED, WEBHOOK_ENDPOINT_NOT_FOUND
   */
  hours(member: Member, query?: unknown): Promise<readonly DeliveryHour[]>
  /**
   * Response times and failures by reason of the newest 1,000 attempts at an endpoint, without tests.
   * @throws IntegrationError WEBHOOK_ENDPOINT_NOT_FOUND
   */
  statistics(member: Member, endpointId: string): Promise<EndpointStatistics>
  /**
   * A delivery with all attempts. With `viewersSeeBodies: false` of `createIntegrations`, bodies are null for those who
   * may only look.
   * @throws IntegrationError DELIVERY_NOT_FOUND
   */
  get(member: Member, id: string): Promise<Delivery>
  /**
   * Sends the event of a delivery again, as a new delivery with the same event id and all its attempts. A pending old
   * delivery is dropped.
   * @throws IntegrationError DELIVERY_NOT_FOUND; STATE_CONFLICT for a test, while it is being sent, if the endpoint is
   * disabled or deleted, or if the event is no longer kept or was erased
   */
  resend(member: Member, id: string): Promise<Delivery>
}

/** Attempts that statistics are made of: as many are read in less than 50 ms. */
const MOST_EXAMINED = 1000

type LogPort = 'deliveryLog' | 'quotations' | 'webhookEndpoints' | 'erasure' | 'auditLog'

type Asked = Static<ReturnType<typeof deliveryLogQuery>>

/** The most quotes with one external ID that the log looks at. */
const MOST_WITH_EXTERNAL_ID = 100

type LogEntry = Pick<StoredDelivery, 'quotation_id' | 'endpoint_id' | 'event_id'>

export function createDeliveryLog(context: Context<LogPort>): DeliveryLog {
  const { storage, settings } = context
  const querySchema = deliveryLogQuery(settings.events)
  const names = headerNames(settings.productName)

  return {
    async list(member, query = {}) {
      requireViewIntegrations(member)
      const { organizationId } = member
      const asked = validateUrlPart(querySchema, query, '?')
      await requireEndpoint(organizationId, asked.endpoint_id)
      const filter = { ...toFilter(asked), quotation_ids: await quotationsOf(organizationId, asked) }
      const { items, nextCursor } = await readPage(
        settings.keyring,
        { name: 'delivery_attempts', organizationId },
        asked,
        (request) => storage.deliveryLog.listAttempts(organizationId, filter, request),
      )
      return { items: items.map(await naming(storage, organizationId, items)), nextCursor }
    },

    async hours(member, query = {}) {
      requireViewIntegrations(member)
      const { organizationId } = member
      const { endpoint_id, ...asked } = validateUrlPart(DeliveryHoursQuery, query, '?')
      await settings.clock.ready()
      const until = optionalTimeOf(asked.until) ?? settings.now()
      const since = optionalTimeOf(asked.since) ?? new Date(until.getTime() - DEFAULT_COUNT_MS)
      if (until.getTime() - since.getTime() > LONGEST_COUNT_MS) {
        throw invalidField('?since', 'must be at most seven days before `until`')
      }
      await requireEndpoint(organizationId, endpoint_id)
      return storage.deliveryLog.countByHour(organizationId, {
        endpoint_id: endpoint_id ?? null,
        since,
        until,
      })
    },

    async statistics(member, endpointId) {
      requireViewIntegrations(member)
      await requireEndpoint(member.organizationId, endpointId)
      return storage.deliveryLog.statistics(member.organizationId, endpointId, MOST_EXAMINED)
    },

    async get(member, id) {
      requireViewIntegrations(member)
      const { organizationId } = member
      const found = requireFound(await storage.deliveryLog.find(organizationId, id), 'DELIVERY_NOT_FOUND')
      const { attempts, ...delivery } = found
      const [named, request_body] = await Promise.all([
        naming(storage, organizationId, [delivery]),
        storage.deliveryLog.findBody(organizationId, delivery.event_id),
      ])
      const shown = { ...named(delivery), request_body, attempts: attempts.map(withHeaders).map(named) }
      if (settings.viewersSeeBodies || managesIntegrations(member)) return shown
      const withoutBodies = shown.attempts.map((attempt) => ({ ...attempt, response_body: null }))
      return { ...shown, request_body: null, attempts: withoutBodies }
    },

    async resend(member, id) {
      requireManageIntegrations(member)
      const { delivery, endpoint, body } = await resend(context, member, id)
      const endpoints = new Map([[endpoint.id, endpoint.name]])
      const named = await naming(storage, member.organizationId, [delivery], endpoints)
      return { ...named(delivery), request_body: body, attempts: [] }
    },
  }

  /** null: any. A host's own quotations that cannot be listed are not found by their external ID. */
  async function quotationsOf(
    organizationId: string,
    { quotation_id, external_id }: Asked,
  ): Promise<string[] | null> {
    if (external_id === undefined) return quotation_id === undefined ? null : [quotation_id]
    const filter = { ...ANY_QUOTATION, external_id }
    const page = { after: null, limit: MOST_WITH_EXTERNAL_ID }
    const found = (await storage.quotations.list?.(organizationId, filter, page)) ?? []
    return found.map(({ id }) => id).filter((id) => quotation_id === undefined || id === quotation_id)
  }

  async function requireEndpoint(organizationId: string, id: string | undefined): Promise<void> {
    if (id !== undefined && !(await storage.webhookEndpoints.had(organizationId, id))) {
      throw new IntegrationError('WEBHOOK_ENDPOINT_NOT_FOUND')
    }
  }

  function withHeaders({ event_sequence, header_names, ...attempt }: StoredAttemptDetails) {
    const isUnsent = attempt.status === 'rejected' && attempt.http_status === null
    if (isUnsent) return { ...attempt, request_headers: null }
    const own = (header_names ?? []).map((name) => [name, HIDDEN_VALUE])
    const created_at = signedAt(attempt.created_at, attempt.check_kind)
    const headers = requestHeaders(names, { ...attempt, event_sequence, created_at }, settings.delivery)
    return { ...attempt, request_headers: { ...headers, ...Object.fromEntries(own) } }
  }
}

function toFilter(asked: Asked): Omit<AttemptFilter, 'quotation_ids'> {
  const { event_id, http_status } = asked
  return {
    endpoint_id: asked.endpoint_id ?? null,
    event_type: asked.event_type ?? null,
    event_id: event_id === undefined ? null : uuidOfEvent(event_id),
    status: asked.status ?? null,
    http_status: http_status === undefined ? null : toStatuses(http_status),
    attempts: asked.attempts ?? 'all',
    undelivered: asked.undelivered ?? null,
    since: optionalTimeOf(asked.since),
    until: optionalTimeOf(asked.until),
  }
}

/** `5xx` is from 500 to 599, `404` from 404 to 404. */
function toStatuses(text: string): AttemptFilter['http_status'] {
  if (text === 'none') return { from: 0, to: 0 }
  return { from: Number(text.replace('xx', '00')), to: Number(text.replace('xx', '99')) }
}

async function resend({ storage, settings }: Context<LogPort>, member: Member, id: string) {
  await settings.clock.ready()
  const { organizationId } = member
  return storage.transaction(async (transaction) => {
    const found = await transaction.deliveryLog.identify(organizationId, id)
    const delivery = requireFound(found, 'DELIVERY_NOT_FOUND')
    if (delivery.is_test) throw conflict('A test cannot be sent again. Send a new one.')
    const endpoint = await transaction.webhookEndpoints.lock(organizationId, delivery.endpoint_id)
    if (endpoint === null) throw conflict('The endpoint of the delivery has been deleted.')
    if (!endpoint.is_enabled) throw conflict('The endpoint is disabled. Enable it first.')
    const now = settings.now()
    const resent = await transaction.deliveryLog.resend(organizationId, delivery, now)
    if (resent === null) {
      throw conflict(
        'The delivery is being sent right now, or its event is no longer kept or has been erased.',
      )
    }
    const changes = auditChanges({}, { delivery_id: delivery.id, resent_as: resent.id })
    await audit(transaction, 'webhook_endpoint.delivery_resent', endpoint, { by: member, changes, at: now })
    const state = { status: 'pending', next_attempt_at: now, resent_as: null } as const
    return {
      delivery: { ...delivery, ...state, id: resent.id, resent_from: delivery.id },
      endpoint,
      body: resent.body,
    }
  })
}

/** Finds the names of quotations and endpoints (or has them). The result adds them and the public event id to entries. */
async function naming(
  storage: Pick<Storage, 'quotations' | 'webhookEndpoints' | 'erasure'>,
  organizationId: string,
  entries: readonly LogEntry[],
  known?: ReadonlyMap<string, string>,
) {
  const quotationIds = new Set(entries.flatMap(({ quotation_id }) => quotation_id ?? []))
  const endpointIds = new Set(entries.map(({ endpoint_id }) => endpoint_id))
  const [quotations, endpoints] = await Promise.all([
    storage.quotations.findNames(organizationId, [...quotationIds]),
    known ?? storage.webhookEndpoints.names(organizationId, [...endpointIds]),
  ])
  const unnamed = [...quotationIds].filter((id) => !quotations.has(id))
  const erased = await storage.erasure.findErased(
    unnamed.map((id) => ({ id, organization_id: organizationId })),
  )
  return <Entry extends LogEntry>(entry: Entry) => {
    const id = entry.quotation_id ?? ''
    const quotation_name = quotations.get(id) ?? (erased.has(id) ? ERASED : undefined)
    const endpoint_name = endpoints.get(entry.endpoint_id)
    return {
      ...entry,
      event_id: eventIdOf(entry.event_id),
      ...(quotation_name !== undefined && { quotation_name }),
      ...(endpoint_name !== undefined && { endpoint_name }),
    }
  }
}

function conflict(detail: string): IntegrationError {
  return new IntegrationError('STATE_CONFLICT', detail)
}
