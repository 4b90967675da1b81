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
  /** What its texts, bytes, lists and JSON hold; null: our names or states. No other column can hold a text. */
  readonly columns?: Readonly<Partial<Record<Column, string | null>>>
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

/**
 * Personal data and texts in each table: a test wants a note for every column that can hold some. An organization's rows
 * are erased in this order; it only matters for speed: a table is reached once those before it are empty.
 */
export const SCHEMA_NOTES: { readonly [Name in keyof Tables]: TableNote<ColumnsOf<Tables[Name]>> } = {
  idempotencyKeys: {
    kept: 'a day',
    erasedBy: QUOTATION,
    rows: { exported: null },
    columns: {
      key: 'text sent by the partner',
      request_hash: 'SHA-256 of the request',
    },
  },
  events: {
    kept: AS_EVENTS,
    erasedBy: QUOTATION,
    rows: { by: 'history', exported: { as: 'event' } },
    columns: {
      type: null,
      body: 'the body of the event: IDs and states of quotes, and the data of your own events',
      traceparent: 'the trace of the request',
      tracestate: 'the trace of the request, with vendor data',
    },
  },
  deliveryAttempts: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    rows: { by: 'history', exported: { as: 'delivery_attempt' } },
    columns: {
      event_type: null,
      error: 'the reason for the failure, in our words',
      header_names: 'the names of the headers that the member chose',
      response_body: "the first 1,024 bytes of the receiver's response; `[erased]` by `quotations.erase`",
      response_headers: 'some headers of a failed response, such as `server`; removed by `quotations.erase`',
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
  },
  eventSequences: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    rows: { exported: null },
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
    },
  },
  quotationSteps: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    rows: 'cascade',
    columns: {
      error_code: 'an error code from your pipeline',
    },
  },
  quotationFiles: {
    kept: '`retention.fileDays` after the end of the quote',
    erasedBy: QUOTATION,
    rows: 'cascade',
    columns: {
      name: "the partner's name for the file",
    },
  },
  proposals: {
    kept: UNTIL_ERASED,
    erasedBy: QUOTATION,
    rows: 'cascade',
    columns: {
      name: 'text from your pipeline',
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
    },
  },
  replays: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    rows: { exported: { as: 'replay' } },
    columns: { event_type: null, waits_for: null },
  },
  warnings: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    rows: { exported: { as: 'warning' } },
  },
  endpointHealth: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    rows: { where: OF_ITS_ENDPOINTS, exported: null },
  },
  deliveryHours: {
    kept: AS_EVENTS,
    erasedBy: ORGANIZATION,
    rows: { where: OF_ITS_ENDPOINTS, exported: null },
  },
  attemptTypes: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    rows: { exported: null },
    columns: { event_type: null },
  },
  endpointUrls: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    rows: { where: OF_ITS_ENDPOINTS, exported: null },
    columns: {
      url: "an earlier URL of the partner's, without its query",
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
          'previous_secrets',
        ],
      },
    },
    columns: {
      events: null,
      secret_key_id: null,
      headers_key_id: null,
      name: 'text written by the member',
      url: "the partner's URL, which may contain a token",
      description: 'text written by the member',
      header_names: 'the names of the headers that the member chose',
      headers_ciphertext: 'the values of those headers, encrypted; erased when the endpoint is deleted',
      secret_ciphertext: 'the signing secret, encrypted; erased when the endpoint is deleted',
      previous_secrets:
        'earlier signing secrets, encrypted, with their last four characters; erased when the endpoint is deleted',
      secret_hint: 'the last four characters of the signing secret',
    },
  },
  apiKeyDays: { kept: AS_EVENTS, erasedBy: ORGANIZATION, rows: 'cascade' },
  apiKeyRequests: {
    kept: `${AS_EVENTS}, and only those with the newest 100 of each key`,
    erasedBy: ORGANIZATION,
    rows: 'cascade',
    columns: {
      requests:
        'requests of a few seconds: the pattern of the path, the IP address unless `apiKeys.recordAddresses` is false, the ID of the request in your log',
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
    },
  },
  feedFloors: {
    kept: UNTIL_ERASED,
    erasedBy: ORGANIZATION,
    rows: { by: 'history', exported: null },
  },
  fileChunks: {
    kept: '`retention.fileDays` after the end of the quote',
    erasedBy: QUOTATION,
    rows: { by: 'with_files', exported: null },
    columns: {
      bytes: 'the requirements files, unless you use your own file storage',
    },
  },
  uploads: {
    kept: 'one hour, then until the file storage has deleted the file; likewise after its quote is erased',
    erasedBy: ORGANIZATION,
    rows: { by: 'with_files', exported: null },
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
    },
  },
  erasedOrganizations: {
    kept: 'forever',
    erasedBy: null,
    rows: null,
    columns: {
      removed: null,
      left_to_host: null,
      open_then: null,
      organization_hash: 'SHA-256 of the organization ID',
      organization_id: 'the ID of the organization, only until its erasing has ended',
    },
  },
  retentionFloor: {
    kept: 'forever',
    erasedBy: null,
    rows: null,
  },
  workers: {
    kept: 'until the worker stops or is declared dead',
    erasedBy: null,
    rows: null,
  },
  deliveryHoursCounted: {
    kept: 'forever',
    erasedBy: null,
    rows: null,
  },
  encryptionKeys: {
    kept: 'forever',
    erasedBy: null,
    rows: null,
    columns: { id: null, check_value: 'recognizes the encryption key, and does not reveal it' },
  },
}
