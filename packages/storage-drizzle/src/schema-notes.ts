import type { Tables } from './schema.ts'

/** The content of a table, for docs/reference/data.md. */
interface TableNote<Column extends string> {
  /** The retention. */
  readonly kept: string
  /** What erases its texts earlier; null if it has none. */
  readonly erasedBy: string | null
  /** The content of each column; null: an id, a time, a number or a state. */
  readonly columns: Readonly<Record<Column, string | null>>
}

type ColumnsOf<Table> = Table extends { readonly _: { readonly columns: infer Columns } }
  ? keyof Columns & string
  : never

const QUOTATION = '`quotations.erase`, `organizations.erase`'
const ORGANIZATION = '`organizations.erase`'
const AS_EVENTS = '`retention.eventDays`'
const UNTIL_ERASED = 'until it is erased'

/** Ids, times, numbers and states. */
function plain<Column extends string>(...columns: Column[]): Record<Column, null> {
  return Object.fromEntries(columns.map((column) => [column, null])) as Record<Column, null>
}

/**
 * Personal data and texts in each column. The type requires every column of the drizzle tables, and a test every column
 * of the migrations.
 */
export const SCHEMA_NOTES: { readonly [Name in keyof Tables]: TableNote<ColumnsOf<Tables[Name]>> } = {
  apiKeys: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    columns: {
      owner_id: 'the member, by the ID of your sessions',
      name: 'text written by the member',
      key_hash: 'SHA-256 of the key',
      masked_key: 'the first and last four characters of the key',
      ...plain('id', 'organization_id', 'status', 'expires_at', 'last_used_at', 'created_at', 'updated_at'),
    },
  },
  auditLog: {
    kept: '`retention.auditDays`',
    erasedBy: ORGANIZATION,
    columns: {
      actor_id: 'the member, by the ID of your sessions',
      client_address: "the IP address of the member's request",
      resource_name: 'the name of a key or an endpoint',
      changes: 'old and new names and URLs',
      ...plain('id', 'organization_id', 'action', 'resource_type', 'resource_id', 'created_at'),
    },
  },
  erasures: {
    kept: 'forever',
    erasedBy: null,
    columns: {
      organization_hash: 'SHA-256 of the organization ID',
      organization_id: 'until it is erased',
      ...plain(
        'keeps_audit_log',
        'phase',
        'removed',
        'left_to_host',
        'started_at',
        'updated_at',
        'erased_at',
      ),
    },
  },
  retentionFloor: {
    kept: 'forever',
    erasedBy: null,
    columns: plain('is_only', 'event_days', 'audit_days'),
  },
  quotations: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    columns: {
      name: 'text written by the partner or the member',
      description: 'text written by the partner or the member',
      requirements_text: 'text written by the partner or the member',
      metadata: 'JSON sent by the partner',
      error_code: 'an error code from your pipeline',
      traceparent: 'the trace of the request',
      tracestate: 'the trace of the request, with vendor data',
      ...plain('id', 'organization_id', 'status', 'processed_step', 'source', 'config_id', 'api_key_id'),
      ...plain('created_at', 'updated_at'),
    },
  },
  quotationFiles: {
    kept: '`retention.fileDays` after the end of the quote',
    erasedBy: QUOTATION,
    columns: {
      name: "the partner's name for the file",
      ...plain('id', 'quotation_id', 'position', 'type', 'size'),
    },
  },
  uploads: {
    kept: 'one hour, then until the file storage has deleted the file; likewise after its quote is erased',
    erasedBy: ORGANIZATION,
    columns: plain('id', 'organization_id', 'created_at', 'abandoned_at'),
  },
  fileChunks: {
    kept: '`retention.fileDays` after the end of the quote',
    erasedBy: QUOTATION,
    columns: {
      bytes: 'the requirements files, unless you use your own file storage',
      ...plain('file_id', 'position', 'organization_id', 'is_last'),
    },
  },
  idempotencyKeys: {
    kept: 'a day',
    erasedBy: QUOTATION,
    columns: {
      key: 'text sent by the partner',
      request_hash: 'SHA-256 of the request',
      ...plain('organization_id', 'quotation_id', 'created_at'),
    },
  },
  quotationSteps: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    columns: {
      error_code: 'an error code from your pipeline',
      ...plain('quotation_id', 'step', 'status', 'started_at', 'completed_at'),
    },
  },
  proposals: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    columns: {
      name: 'text from your pipeline',
      ...plain('id', 'organization_id', 'quotation_id', 'status', 'document_id', 'created_at', 'updated_at'),
    },
  },
  workers: {
    kept: 'until the worker stops or is declared dead',
    erasedBy: null,
    columns: plain('id', 'started_at', 'heartbeat_at'),
  },
  pipelineStarts: {
    kept: 'until the pipeline has taken over the quote',
    erasedBy: QUOTATION,
    columns: {
      quote: 'the whole quote, if you keep quotes in your own tables',
      ...plain('quotation_id', 'due_at', 'attempt', 'leased_by'),
    },
  },
  webhookEndpoints: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
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
      ...plain('headers_key_id', 'generation', 'parks_before', 'caught_up_to'),
      ...plain('disabled_reason', 'previous_secret_key_id', 'previous_secret_expires_at', 'version'),
      ...plain('created_at', 'updated_at', 'deleted_at'),
    },
  },
  deliveryHours: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    columns: plain('endpoint_id', 'hour', 'delivered', 'failed'),
  },
  deliveryHoursCounted: {
    kept: 'forever',
    erasedBy: null,
    columns: plain('is_only', 'until'),
  },
  warnings: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    columns: {
      ...plain('id', 'organization_id', 'kind', 'subject_id', 'since', 'until', 'count', 'stage', 'attempt'),
      ...plain('due_at', 'created_at'),
    },
  },
  encryptionKeys: {
    kept: 'forever',
    erasedBy: null,
    columns: { ...plain('id'), check_value: 'recognizes the encryption key, and does not reveal it' },
  },
  endpointHealth: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    columns: plain('endpoint_id', 'last_success_at', 'failing_since', 'paused_until'),
  },
  replays: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    columns: {
      ...plain('id', 'organization_id', 'endpoint_id', 'state', 'since', 'until', 'status', 'position_at'),
      ...plain('position_id', 'examined', 'total', 'resent', 'waits_for', 'created_at', 'updated_at'),
    },
  },
  feedFloors: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    columns: plain('organization_id', 'position'),
  },
  events: {
    kept: AS_EVENTS,
    erasedBy: QUOTATION,
    columns: {
      body: 'the body of the event: IDs and states of quotes, and the data of your own events',
      traceparent: 'the trace of the request',
      tracestate: 'the trace of the request, with vendor data',
      ...plain('id', 'organization_id', 'type', 'quotation_id', 'sequence', 'is_test', 'generation_source'),
      ...plain('feed_position', 'created_at'),
    },
  },
  eventSequences: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    columns: plain('organization_id', 'quotation_id', 'last'),
  },
  deliveries: {
    kept: `until it ends; ${AS_EVENTS} at most`,
    erasedBy: QUOTATION,
    columns: {
      ...plain('id', 'organization_id', 'endpoint_id', 'event_id', 'event_created_at', 'attempt', 'due_at'),
      ...plain('quotation_id', 'sequence', 'leased_by', 'leased_at', 'is_test', 'parked_at', 'generation'),
    },
  },
  deliveryAttempts: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
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
      ...plain('quotation_id', 'attempt', 'status', 'http_status', 'duration_ms', 'is_test', 'created_at'),
      ...plain('next_attempt_at', 'first_byte_ms'),
    },
  },
}
