/** The types of the session routes, as in the OpenAPI document. `test/wire-types.ts` fails to compile if they differ. */

export interface Organization {
  id: string
  name: string | null
}

export interface Me {
  member_id: string
  organization: Organization
  permissions: string[]
  organizations: Organization[]
}

export interface ApiKey {
  id: string
  owner_id: string
  name: string
  masked_key: string
  status: 'active' | 'inactive' | 'expired' | 'revoked'
  expires_at: string
  last_used_at: string | null
  created_at: string
}

export interface CreatedApiKey extends ApiKey {
  key: string
}

interface EndpointHealth {
  last_success_at: string | null
  failing_since: string | null
  recent_attempts: number
  recent_success_rate: number | null
}

type TriggerMode = 'headless_only' | 'always'
type Ordering = 'none' | 'quotation'

export interface WebhookEndpoint {
  id: string
  name: string
  url: string
  description: string | null
  events: string[]
  trigger_mode: TriggerMode
  ordering: Ordering
  /** Values are never shown. */
  header_names: string[]
  is_enabled: boolean
  disabled_reason: 'requested' | 'failing' | null
  health: EndpointHealth
  /** Its receiver asked for a pause until then. */
  paused_until: string | null
  secret_hint: string
  previous_secret_expires_at: string | null
  created_at: string
  updated_at: string
}

export interface EndpointWithSecret extends WebhookEndpoint {
  secret: string
}

export interface EndpointInput {
  name: string
  url: string
  description: string | null
  events: string[]
  trigger_mode: TriggerMode
  ordering: Ordering
  /** Merged with the existing ones; null removes one. */
  headers?: Record<string, string | null>
}

export interface TestResult {
  success: boolean
  http_status: number | null
  error: string | null
  attempt_id: string
}

export interface CatalogEntry {
  type: string
  description: string
  example: unknown
  /** Addresses and CIDRs that webhooks come from, where the service has named them. */
  source_addresses?: readonly string[]
}

type AttemptStatus = 'succeeded' | 'failed' | 'exhausted' | 'rejected' | 'interrupted'

/** Shared by the rows of the log and a delivery. */
interface Sent {
  id: string
  event_id: string
  event_type: string
  endpoint_id: string
  endpoint_name?: string
  quotation_id: string | null
  quotation_name?: string
  is_test: boolean
  next_attempt_at: string | null
}

export interface Attempt extends Sent {
  delivery_id: string
  attempt: number
  status: AttemptStatus
  http_status: number | null
  error: string | null
  duration_ms: number | null
  created_at: string
}

export interface AttemptDetails extends Attempt {
  request_headers: Record<string, string> | null
  response_body: string | null
  first_byte_ms: number | null
}

export interface Delivery extends Sent {
  status: 'pending' | 'sending' | 'parked' | 'succeeded' | 'failed'
  request_body: string | null
  attempts: AttemptDetails[]
}

export interface DeliveryHour {
  hour: string
  delivered: number
  failed: number
}

export type ReplayStatus = 'missed' | 'failed' | 'all'

export interface ReplayInput {
  since: string
  until?: string
  status: ReplayStatus
}

export interface ReplayCount {
  events: number
  is_more: boolean
}

export interface Replay {
  id: string
  endpoint_id: string
  state: 'running' | 'completed' | 'stopped'
  since: string
  until: string
  status: ReplayStatus
  progress: { examined: number; total: number }
  resent: number
  created_at: string
}

export interface AuditChange {
  field: string
  from?: string | boolean | null | readonly string[]
  to?: string | boolean | null | readonly string[]
}

export interface AuditEntry {
  id: string
  actor_id: string | null
  client_address: string | null
  action: string
  resource_type: 'api_key' | 'webhook_endpoint' | 'quotation' | 'organization'
  resource_id: string
  resource_name: string
  changes: AuditChange[]
  created_at: string
}
