/**
 * The audit log: who changed a key or an endpoint, or had something sent to one, what, from where, and when.
 *
 * Record each change in its own transaction, so that there is never one without the other:
 *
 *     await storage.transaction(async (transaction) => {
 *       …read and lock `before`, write `after`…
 *       await audit(transaction, 'webhook_endpoint.updated', after, {
 *         by: member, // or authorOf(organizationId) for the service itself
 *         changes: auditChanges(before, after), // auditChanges({}, endpoint) for a new one
 *         at: now,
 *       })
 *     })
 *
 * Record only actual changes. Add new actions to AUDIT_ACTIONS and new fields to AUDITED_FIELDS: other fields are never
 * recorded, so that no secret slips in.
 */

import { newId } from '../lib/new-id.ts'
import { type Page, readPage } from '../lib/page.ts'
import { optionalTimeOf } from '../lib/timestamp.ts'
import { validateUrlPart } from '../lib/validator.ts'
import {
  type AuditAction,
  type AuditChange,
  type AuditEntry,
  AuditLogQuery,
  type AuditResourceType,
  type AuditValue,
} from '../model/audit-entry.ts'
import type { RequestedBy } from '../model/erasure.ts'
import { checkMemberIds } from '../model/ids.ts'
import { type Member, requireViewIntegrations } from '../model/session.ts'
import type { Context } from '../settings.ts'
import type { Storage } from '../storage/storage.ts'

export interface AuditLog {
  /**
   * Lists the changes of keys and endpoints, newest first. `query` is an AuditLogQuery.
   * @throws IntegrationError PERMISSION_REQUIRED, VALIDATION_FAILED
   */
  list(member: Member, query?: unknown): Promise<Page<AuditEntry>>
}

export function createAuditLog({ storage, settings }: Context<'auditLog'>): AuditLog {
  return {
    async list(member, query = {}) {
      requireViewIntegrations(member)
      const asked = validateUrlPart(AuditLogQuery, query, '?')
      const filter = {
        resource_id: asked.resource_id ?? null,
        action: asked.action ?? null,
        actor_id: asked.actor_id ?? null,
        since: optionalTimeOf(asked.since),
        until: optionalTimeOf(asked.until),
      }
      const { organizationId } = member
      return readPage(settings.keyring, { name: 'audit_log', organizationId }, asked, (request) =>
        storage.auditLog.list(organizationId, filter, request),
      )
    },
  }
}

interface Audited {
  /** A Member, or `memberId: null` for the service itself. */
  readonly by: Pick<Member, 'organizationId' | 'clientAddress'> & { readonly memberId: string | null }
  readonly changes?: readonly AuditChange[]
  readonly at: Date
}

/**
 * The author of a change that the host's own code makes: the member who requested it, or the service itself.
 * @throws IntegrationError VALIDATION_FAILED
 */
export function authorOf(organizationId: string, { by }: RequestedBy = {}): Audited['by'] {
  if (by !== undefined) checkMemberIds({ organizationId, memberId: by })
  return { organizationId, memberId: by ?? null }
}

/** Records an action in its transaction. See the top of this file. */
export function audit(
  { auditLog }: Pick<Storage, 'auditLog'>,
  action: AuditAction,
  resource: { readonly id: string; readonly name: string },
  audited: Audited,
): Promise<void> {
  return auditLog.record(auditEntry(action, resource, audited))
}

export function auditEntry(
  action: AuditAction,
  resource: { readonly id: string; readonly name: string },
  { by, changes = [], at }: Audited,
): AuditEntry {
  return {
    id: newId(at),
    organization_id: by.organizationId,
    actor_id: by.memberId,
    client_address: by.clientAddress ?? null,
    action,
    resource_type: action.split('.')[0] as AuditResourceType,
    resource_id: resource.id,
    resource_name: resource.name,
    changes: [...changes],
    created_at: at,
  }
}

/** How to record a field; `named`: only its name. */
type Keep = ((value: unknown) => AuditValue) | 'named'

const asItIs: Keep = (value) => value as AuditValue

/** All recorded fields. */
const AUDITED_FIELDS: Readonly<Record<string, Keep>> = {
  name: asItIs,
  status: asItIs,
  expires_at: toTimestamp,
  replaced_by: asItIs,
  url: (value) => withoutQuery(String(value)),
  description: 'named',
  events: asItIs,
  trigger_mode: asItIs,
  ordering: asItIs,
  headers: 'named',
  is_enabled: asItIs,
  secret_hint: 'named',
  event_type: asItIs,
  delivery_id: asItIs,
  resent_as: asItIs,
  replay_id: asItIs,
  since: toTimestamp,
  until: toTimestamp,
}

function toTimestamp(value: unknown): string {
  return (value as Date).toISOString()
}

/** The audited fields that differ. Fields missing in `after` are unchanged. */
export function auditChanges(before: object, after: object): AuditChange[] {
  const old = new Map<string, unknown>(Object.entries(before))
  const current = new Map<string, unknown>(Object.entries(after))
  return Object.entries(AUDITED_FIELDS)
    .filter(([field]) => current.has(field) && !isSame(old.get(field), current.get(field)))
    .map(([field, keep]) => {
      if (keep === 'named') return { field }
      const to = keep(current.get(field))
      return old.has(field) ? { field, from: keep(old.get(field)), to } : { field, to }
    })
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** A query may contain a token of the receiver. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}
