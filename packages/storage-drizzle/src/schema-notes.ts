import type { ExportPart } from '@quickquote/core/internal'
import type { Tables } from './schema.ts'

/** A table: its content, for docs/reference/data.md, and its part in erasing, counting and exporting an organization. */
interface TableNote<Column extends string> {
  /** The retention. */
  readonly kept: string
  /** What erases its texts earlier; null if it has none. */
  readonly erasedBy: string | null
  /** Its rows of an organization. `cascade`: they are deleted, and exported, with the row they belong to. Null: it has none. */
  readonly rows: OrganizationRows | 'cascade' | null
  /** The content of each column; null: an id, a time, a number or a state. */
  readonly columns: Readonly<Record<Column, string | null>>
}

export interface OrganizationRows {
  /** The condition that finds them, given the quoted SQL schema. Default: the table's column `organization_id`. */
  readonly where?: string
  /**
   * How they are deleted. Default: by a `delete` that passes over locked rows.
   *
   * - `history`: by `erase_history_of_organization`
   * - `with_files`: with the bytes
   */
  readonly by?: 'history' | 'with_files'
  /** Which of them may be deleted now. Default: all. */
  readonly deletable?: string
  /** Deletes the records of the files of the rows in `chosen`, and returns their ids: their bytes are deleted, too. */
  readonly files?: string
  /** Its name in exports. Null: internal rows that mean nothing without ours. */
  readonly exported: { readonly as: ExportPart; readonly without?: readonly string[] } | null
}

type ColumnsOf<Table> = Table extends { readonly _: { readonly columns: infer Columns } }
  ? keyof Columns & string
  : never

const QUOTATION = '`quotations.erase`, `organizations.erase`'
const ORGANIZATION = '`organizations.erase`'
const AS_EVENTS = '`retention.eventDays`'
/** Of the endpoints of an organization. */
const OF_ITS_ENDPOINTS = `endpoint_id in (select id from $schema.webhook_endpoints where organization_id = $organization_id)`
const UNTIL_ERASED = 'until it is erased'

/** Ids, times, numbers and states. */
function plain<Column extends string>(...columns: Column[]): Record<Column, null> {
  return Object.fromEntries(columns.map((column) => [column, null])) as Record<Column, null>
}

/**
 * Personal data and texts in each column. The type requires every column of the drizzle tables, and a test every column
 * of the migrations. An organization's rows are erased in this order; it only matters for speed: a table is reached once
 * those before it are empty.
 */
export const SCHEMA_NOTES: { readonly [Name in keyof Tables]: TableNote<ColumnsOf<Tables[Name]>> } = {
  idempotencyKeys: {
    kept: 'a day',
    erasedBy: QUOTATION,
    rows: { exported: null },
    columns: {
      key: 'text sent by the partner',
      request_hash: 'SHA-256 of the request',
      ...plain('organization_id', 'quotation_id', 'created_at'),
    },
  },
  events: {
    kept: AS_EVENTS,
    erasedBy: QUOTATION,
    rows: { by: 'history', exported: { as: 'event' } },
    columns: {
      body: 'the body of the event: IDs and states of quotes, and the data of your own events',
      traceparent: 'the trace of the request',
      tracestate: 'the trace of the request, with vendor data',
      ...plain('id', 'organization_id', 'type', 'quotation_id', 'sequence', 'is_test', 'generation_source'),
      ...plain('feed_position', 'created_at'),
    },
  },
  deliveryAttempts: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    rows: { by: 'history', exported: { as: 'delivery_attempt' } },
    columns: {
      error: 'the reason for the failure, in our words',
      header_names: 'the names of the headers that the member chose',
      response_body: "the first 1,024 bytes of the receiver's response; `[erased]` by `quotations.erase`",
      ...plain(
        'id',
        'delivery_id',
        'organization_id',
        'endpoint_id',
        'event_id',
        'event_type',
        'event_sequence',
      ),
      ...plain(
        'endpoint_version',
        'quotation_id',
        'attempt',
        'status',
        'http_status',
        'duration_ms',
        'is_test',
        'created_at',
      ),
      ...plain('next_attempt_at', 'first_byte_ms'),
    },
  },
  deliveries: {
    kept: `until it ends; ${AS_EVENTS} at most`,
    erasedBy: QUOTATION,
    rows: {
      where: `ctid = any (array(
          select delivery.place from $schema.webhook_endpoints endpoint
          cross join lateral $schema.deliveries_to(endpoint.id) delivery
          where endpoint.organization_id = $organization_id
        ))`,
      exported: null,
    },
    columns: {
      ...plain('id', 'organization_id', 'endpoint_id', 'event_id', 'event_created_at', 'attempt', 'due_at'),
      ...plain('quotation_id', 'sequence', 'leased_by', 'leased_at', 'is_test', 'parked_at', 'generation'),
    },
  },
  eventSequences: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    rows: { exported: null },
    columns: plain('organization_id', 'quotation_id', 'last'),
  },
  quotations: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    rows: {
      // Otherwise its trigger would wait for a transaction that holds one of these.
      deletable: `not exists (select from $schema.idempotency_keys where organization_id = $organization_id)
          and not exists (select from $schema.event_sequences where organization_id = $organization_id)`,
      files: `delete from $schema.quotation_files where quotation_id in (select id from chosen) returning id`,
      exported: { as: 'quotation' },
    },
    columns: {
      name: 'text written by the partner or the member',
      description: 'text written by the partner or the member',
      requirements_text: 'text written by the partner or the member',
      metadata: 'JSON sent by the partner',
      external_id: "the partner's own ID of the quote",
      error_code: 'an error code from your pipeline',
      traceparent: 'the trace of the request',
      tracestate: 'the trace of the request, with vendor data',
      ...plain('id', 'organization_id', 'status', 'processed_step', 'source', 'config_id', 'api_key_id'),
      ...plain('created_at', 'updated_at'),
    },
  },
  quotationSteps: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    rows: 'cascade',
    columns: {
      error_code: 'an error code from your pipeline',
      ...plain('quotation_id', 'step', 'status', 'started_at', 'completed_at'),
    },
  },
  quotationFiles: {
    kept: '`retention.fileDays` after the end of the quote',
    erasedBy: QUOTATION,
    rows: 'cascade',
    columns: {
      name: "the partner's name for the file",
      ...plain('id', 'quotation_id', 'position', 'type', 'size'),
    },
  },
  proposals: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    rows: 'cascade',
    columns: {
      name: 'text from your pipeline',
      ...plain('id', 'organization_id', 'quotation_id', 'status', 'document_id', 'created_at', 'updated_at'),
    },
  },
  pipelineStarts: {
    kept: 'until the pipeline has taken over the quote, or is notified that it is cancelled',
    erasedBy: QUOTATION,
    rows: {
      // The others are deleted with their quotation.
      where: `(quote ->> 'organization_id')::uuid = $organization_id`,
      exported: null,
    },
    columns: {
      quote: 'the whole quote, if you keep quotes in your own tables',
      ...plain('quotation_id', 'state', 'due_at', 'attempt', 'leased_by'),
    },
  },
  replays: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    rows: { exported: { as: 'replay' } },
    columns: {
      ...plain('id', 'organization_id', 'endpoint_id', 'state', 'since', 'until', 'status', 'position_at'),
      ...plain('position_id', 'examined', 'total', 'resent', 'waits_for', 'created_at', 'updated_at'),
    },
  },
  warnings: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    rows: { exported: { as: 'warning' } },
    columns: {
      ...plain('id', 'organization_id', 'kind', 'subject_id', 'since', 'until', 'count', 'stage', 'attempt'),
      ...plain('due_at', 'created_at'),
    },
  },
  endpointHealth: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    rows: { where: OF_ITS_ENDPOINTS, exported: null },
    columns: plain('endpoint_id', 'last_success_at', 'failing_since', 'paused_until'),
  },
  deliveryHours: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    rows: { where: OF_ITS_ENDPOINTS, exported: null },
    columns: plain('endpoint_id', 'hour', 'delivered', 'failed', 'given_up'),
  },
  endpointUrls: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    rows: { where: OF_ITS_ENDPOINTS, exported: null },
    columns: {
      url: "an earlier URL of the partner's, without its query",
      ...plain('endpoint_id', 'last_version'),
    },
  },
  webhookEndpoints: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    rows: {
      // Otherwise a worker could still record attempts, and health, of an endpoint that is gone.
      deletable: `not exists (select from $schema.deliveries_to(webhook_endpoints.id))
          and not exists (select from $schema.endpoint_health where endpoint_id = webhook_endpoints.id)`,
      exported: {
        as: 'webhook_endpoint',
        without: [
          'secret_ciphertext',
          'secret_key_id',
          'headers_ciphertext',
          'headers_key_id',
          'previous_secret_ciphertext',
          'previous_secret_key_id',
        ],
      },
    },
    columns: {
      name: 'text written by the member',
      url: "the partner's URL, which may contain a token",
      description: 'text written by the member',
      header_names: 'the names of the headers that the member chose',
      headers_ciphertext: 'the values of those headers, encrypted; erased when the endpoint is deleted',
      secret_ciphertext: 'the signing secret, encrypted; erased when the endpoint is deleted',
      previous_secret_ciphertext:
        'the previous signing secret, encrypted; erased when the endpoint is deleted',
      secret_hint: 'the last four characters of the signing secret',
      ...plain('id', 'organization_id', 'events', 'trigger_mode', 'ordering', 'is_enabled', 'secret_key_id'),
      ...plain('headers_key_id', 'generation', 'parks_before', 'caught_up_to', 'caught_up_until'),
      ...plain('disabled_reason', 'previous_secret_key_id', 'previous_secret_expires_at', 'version'),
      ...plain('created_at', 'updated_at', 'deleted_at'),
    },
  },
  apiKeys: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    rows: { exported: { as: 'api_key', without: ['key_hash'] } },
    columns: {
      owner_id: 'the member, by the ID of your sessions',
      name: 'text written by the member',
      key_hash: 'SHA-256 of the key',
      masked_key: 'the first and last four characters of the key',
      ...plain('id', 'organization_id', 'status', 'expires_at', 'last_used_at', 'replaced_by', 'created_at'),
      ...plain('updated_at'),
    },
  },
  feedFloors: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    rows: { by: 'history', exported: null },
    columns: plain('organization_id', 'position'),
  },
  fileChunks: {
    kept: '`retention.fileDays` after the end of the quote',
    erasedBy: QUOTATION,
    rows: { by: 'with_files', exported: null },
    columns: {
      bytes: 'the requirements files, unless you use your own file storage',
      ...plain('file_id', 'position', 'organization_id', 'is_last'),
    },
  },
  uploads: {
    kept: 'one hour, then until the file storage has deleted the file; likewise after its quote is erased',
    erasedBy: ORGANIZATION,
    rows: { by: 'with_files', exported: null },
    columns: plain('id', 'organization_id', 'created_at', 'received_at', 'abandoned_at'),
  },
  auditLog: {
    kept: '`retention.auditDays`',
    erasedBy: ORGANIZATION,
    rows: { by: 'history', exported: { as: 'audit_entry' } },
    columns: {
      actor_id: 'the member, by the ID of your sessions',
      client_address: "the IP address of the member's request",
      resource_name: 'the name of a key or an endpoint',
      changes: 'old and new names and URLs',
      ...plain('id', 'organization_id', 'action', 'resource_type', 'resource_id', 'created_at'),
    },
  },
  erasedOrganizations: {
    kept: 'forever',
    erasedBy: null,
    rows: null,
    columns: {
      organization_hash: 'SHA-256 of the organization ID',
      organization_id: 'until it is erased',
      ...plain(
        'keeps_audit_log',
        'removed',
        'left_to_host',
        'requested_at',
        'finished_at',
        'open_then',
        'due_at',
      ),
    },
  },
  retentionFloor: {
    kept: 'forever',
    erasedBy: null,
    rows: null,
    columns: plain('is_only', 'event_days', 'audit_days'),
  },
  workers: {
    kept: 'until the worker stops or is declared dead',
    erasedBy: null,
    rows: null,
    columns: plain('id', 'started_at', 'heartbeat_at'),
  },
  deliveryHoursCounted: {
    kept: 'forever',
    erasedBy: null,
    rows: null,
    columns: plain('is_only', 'until'),
  },
  encryptionKeys: {
    kept: 'forever',
    erasedBy: null,
    rows: null,
    columns: { ...plain('id'), check_value: 'recognizes the encryption key, and does not reveal it' },
  },
}
