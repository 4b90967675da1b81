import { randomBytes, randomUUID } from 'node:crypto'
import type { AuditEntry, NewQuotation, Storage, TraceContext } from '@quickquote/core'
import type {
  AttemptFilter,
  AuditFilter,
  EncryptedSecret,
  RecordedEvent,
  StoredWebhookEndpoint,
} from '@quickquote/core/internal'

/** Text that would break array literals, JSON and SQL if not escaped. */
export const AWKWARD = 'a "quoted" \\ {brace}, comma; \'single\' $1 ? null\n\t日本 🙂'

export const SAMPLE_TRACE: TraceContext = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=t61rcWkgMzE,other=1',
}

type RequestsOfKey = Parameters<Storage['apiKeys']['recordRequests']>[0][number]

export type StoredApiKey = Parameters<Storage['apiKeys']['save']>[0]

/** For tests of something else. */
export const MANY_KEYS = { ofOrganization: 10_000, ofOwner: 10_000 }

export function sampleApiKey(fields: Partial<StoredApiKey> = {}): StoredApiKey {
  return {
    id: randomUUID(),
    organization_id: randomUUID(),
    owner_id: 'member-1',
    name: AWKWARD,
    masked_key: 'pk_abcd…wxyz',
    status: 'active',
    expires_at: new Date('2030-02-28T23:59:59.999Z'),
    last_used_at: null,
    replaced_by: null,
    created_at: new Date('2026-11-21T10:05:00.001Z'),
    updated_at: new Date('2026-11-21T10:05:00.001Z'),
    ...fields,
  }
}

export function sampleAuditEntry(fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: randomUUID(),
    organization_id: randomUUID(),
    actor_id: 'member-1',
    client_address: '2001:db8::7',
    action: 'api_key.updated',
    resource_type: 'api_key',
    resource_id: randomUUID(),
    resource_name: AWKWARD,
    changes: [{ field: 'name', from: 'CRM', to: AWKWARD }],
    created_at: new Date('2026-11-21T10:05:00.001Z'),
    ...fields,
  }
}

export function sampleQuotation(fields: Partial<NewQuotation> = {}): NewQuotation {
  return {
    id: randomUUID(),
    organization_id: randomUUID(),
    name: AWKWARD,
    description: '',
    config_id: null,
    source: 'api_key',
    api_key_id: null,
    requirementsText: AWKWARD,
    external_id: null,
    metadata: null,
    files: [],
    created_at: new Date('2026-11-21T10:05:00.120Z'),
    trace: SAMPLE_TRACE,
    ...fields,
  }
}

export function sampleEndpoint(fields: Partial<StoredWebhookEndpoint> = {}): StoredWebhookEndpoint {
  return {
    id: randomUUID(),
    organization_id: randomUUID(),
    name: AWKWARD,
    url: 'https://receiver.example/hook',
    description: null,
    events: ['quotation.completed'],
    trigger_mode: 'headless_only',
    ordering: 'none',
    header_names: [],
    is_enabled: true,
    secret_hint: 'whsec_…1234',
    disabled_reason: null,
    previous_secrets: [],
    created_at: new Date('2026-11-21T10:05:00.001Z'),
    updated_at: new Date('2026-11-21T10:05:00.001Z'),
    ...fields,
  }
}

export function sampleSecret(): EncryptedSecret {
  return { keyId: 'key-1', ciphertext: randomBytes(48) }
}

/** The columns of an endpoint without its own headers. */
export function sampleSecrets() {
  return { secret: sampleSecret(), headers: null }
}

/** Filters that leave out nothing. */
export const ANY_ENTRY: AuditFilter = {
  resource_id: null,
  action: null,
  actor_id: null,
  since: null,
  until: null,
}

export const ANY_ATTEMPT: AttemptFilter = {
  endpoint_id: null,
  event_type: null,
  event_id: null,
  quotation_ids: null,
  http_status: null,
  attempts: 'all',
  status: null,
  undelivered: null,
  since: null,
  until: null,
}

export function sampleEvent(fields: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    id: randomUUID(),
    organization_id: randomUUID(),
    type: 'quotation.completed',
    quotation_id: randomUUID(),
    generation_source: 'api_key',
    created_at: new Date(),
    body: `{"text":${JSON.stringify(AWKWARD)}}`,
    trace: SAMPLE_TRACE,
    ...fields,
  }
}

/** A request with a key. */
export function sampleRequests(api_key_id: string): RequestsOfKey {
  const at = Date.now()
  const counts = { '2xx': 1, '3xx': 0, '4xx': 0, '5xx': 0 }
  const request = {
    at,
    method: 'GET',
    route: '/quotations',
    status: 200,
    address: '198.51.100.7',
    request_id: 'req-1',
  }
  return { api_key_id, days: [{ day: Math.floor(at / 86_400_000), counts }], requests: [request] }
}
