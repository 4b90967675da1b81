import { IntegrationError, invalidField } from '../lib/errors.ts'
import { newId } from '../lib/new-id.ts'
import { requireFound } from '../lib/tenancy.ts'
import { timeOf } from '../lib/timestamp.ts'
import { validate, validateUrlPart } from '../lib/validator.ts'
import { type Replay, ReplayBody, type ReplayCount } from '../model/replay.ts'
import { keptSince } from '../model/retention.ts'
import { type Member, requireManageIntegrations, requireViewIntegrations } from '../model/session.ts'
import type { Context } from '../settings.ts'
import type { StoredWebhookEndpoint } from '../storage/webhook-endpoints.ts'
import { audit, auditChanges } from './audit-log.ts'

/** Sends missed events to an endpoint again. Reading requires `view_integrations`, changes `manage_integrations`. */
export interface Replays {
  /**
   * Starts a replay; `body` is a ReplayBody. Workers create new deliveries, with the same event IDs, of the events that
   * the endpoint now subscribes to; pending deliveries are left alone. A replay survives the death of any process.
   * @throws IntegrationError VALIDATION_FAILED, WEBHOOK_ENDPOINT_NOT_FOUND; STATE_CONFLICT if the endpoint is disabled
   * or already has a running replay
   */
  start(member: Member, endpointId: string, body: ReplayBody): Promise<Replay>
  /**
   * Counts the events that this replay would send now, among the first 20,000 events of the period. `query` is a
   * ReplayBody.
   * @throws IntegrationError VALIDATION_FAILED, WEBHOOK_ENDPOINT_NOT_FOUND
   */
  count(member: Member, endpointId: string, query: unknown): Promise<ReplayCount>
  /** @throws IntegrationError REPLAY_NOT_FOUND */
  get(member: Member, endpointId: string, id: string): Promise<Replay>
  /**
   * The newest 20 replays of an endpoint, newest first.
   * @throws IntegrationError WEBHOOK_ENDPOINT_NOT_FOUND
   */
  list(member: Member, endpointId: string): Promise<readonly Replay[]>
  /**
   * Stops a replay. What it has sent so far stays sent; one that is stopped already is returned as it is.
   * @throws IntegrationError REPLAY_NOT_FOUND; STATE_CONFLICT if it is completed
   */
  stop(member: Member, endpointId: string, id: string): Promise<Replay>
}

const MOST_LISTED = 20

/** Events to examine for a count: this many take less than a second. */
const MOST_COUNTED = 20_000

type ReplayContext = Context<'replays' | 'webhookEndpoints' | 'auditLog'>

export function createReplays({ storage, settings }: ReplayContext): Replays {
  async function get(member: Member, endpointId: string, id: string): Promise<Replay> {
    const replay = await storage.replays.find(member.organizationId, endpointId, id)
    return requireFound(replay, 'REPLAY_NOT_FOUND')
  }

  function checkType(type: string | undefined, at: '/' | '?'): void {
    const { types } = settings.events
    if (type === undefined || types.some((each) => each === type)) return
    throw invalidField(`${at}event_type`, `must be one of ${types.join(', ')}`)
  }

  async function findEndpoint({ organizationId }: Member, id: string): Promise<StoredWebhookEndpoint> {
    const endpoint = await storage.webhookEndpoints.find(organizationId, id)
    return requireFound(endpoint, 'WEBHOOK_ENDPOINT_NOT_FOUND')
  }

  return {
    async start(member, endpointId, body) {
      requireManageIntegrations(member)
      const { organizationId } = member
      const { status = 'missed', event_type, ...range } = validate(ReplayBody, body)
      checkType(event_type, '/')
      await settings.clock.ready()
      const now = settings.now()
      const { since, until } = checkRange(range, now, settings.retention.eventDays, '/')
      const endpoint = await findEndpoint(member, endpointId)
      if (!endpoint.is_enabled) {
        throw new IntegrationError('STATE_CONFLICT', 'The endpoint is disabled. Enable it first.')
      }
      const id = newId(now)
      await storage.transaction(async (transaction) => {
        const replay = { id, endpoint_id: endpoint.id, since, until, status, event_type: event_type ?? null }
        if (!(await transaction.replays.insert(organizationId, replay, now))) {
          throw new IntegrationError('STATE_CONFLICT', 'A replay of this endpoint is already running.')
        }
        const changes = auditChanges(
          {},
          { replay_id: id, since, until, status, ...(event_type !== undefined && { event_type }) },
        )
        await audit(transaction, 'webhook_endpoint.replay_started', endpoint, {
          by: member,
          changes,
          at: now,
        })
      })
      return get(member, endpoint.id, id)
    },

    async count(member, endpointId, query) {
      requireViewIntegrations(member)
      const { organizationId } = member
      const { status = 'missed', event_type, ...asked } = validateUrlPart(ReplayBody, query, '?')
      checkType(event_type, '?')
      await settings.clock.ready()
      const range = checkRange(asked, settings.now(), settings.retention.eventDays, '?')
      const endpoint = await findEndpoint(member, endpointId)
      return storage.replays.count(
        organizationId,
        { endpoint_id: endpoint.id, ...range, status, event_type: event_type ?? null },
        MOST_COUNTED,
      )
    },

    async get(member, endpointId, id) {
      requireViewIntegrations(member)
      return get(member, endpointId, id)
    },

    async list(member, endpointId) {
      requireViewIntegrations(member)
      const endpoint = await findEndpoint(member, endpointId)
      return storage.replays.list(member.organizationId, endpoint.id, MOST_LISTED)
    },

    async stop(member, endpointId, id) {
      requireManageIntegrations(member)
      const { organizationId } = member
      await settings.clock.ready()
      const now = settings.now()
      await get(member, endpointId, id)
      await storage.transaction(async (transaction) => {
        if (!(await transaction.replays.stop(organizationId, endpointId, id, now))) return
        const endpoint = await transaction.webhookEndpoints.find(organizationId, endpointId)
        if (endpoint === null) return
        const changes = auditChanges({}, { replay_id: id })
        await audit(transaction, 'webhook_endpoint.replay_stopped', endpoint, {
          by: member,
          changes,
          at: now,
        })
      })
      const replay = await get(member, endpointId, id)
      if (replay.state === 'completed')
        throw new IntegrationError('STATE_CONFLICT', 'The replay is completed.')
      return replay
    },
  }
}

/**
 * An end in the future becomes now, because later events are delivered anyway. A start before the oldest event becomes
 * the oldest event.
 */
function checkRange(
  range: { since: string; until?: string },
  now: Date,
  eventDays: number,
  /** The prefix of a pointer to a field. */
  at: '/' | '?',
): { since: Date; until: Date } {
  const wantedSince = timeOf(range.since)
  const oldest = keptSince(now, eventDays)
  const since = new Date(Math.max(wantedSince.getTime(), oldest.getTime()))
  const wanted = range.until === undefined ? now : timeOf(range.until)
  const until = wanted < now ? wanted : now
  if (!(since <= now)) throw invalidField(`${at}since`, 'must not be in the future')
  if (!(wanted > wantedSince) && range.until !== undefined) {
    throw invalidField(`${at}until`, 'must be later than `since`')
  }
  if (!(wanted > oldest)) {
    const detail = `must be later than ${oldest.toISOString()}: events are kept for ${eventDays} days`
    throw invalidField(`${at}until`, detail)
  }
  return { since, until }
}
