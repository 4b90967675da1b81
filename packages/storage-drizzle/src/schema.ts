import { type Quote, STEPS } from '@quickquote/core'
import {
  ATTEMPT_STATUSES,
  AUDIT_ACTIONS,
  AUDIT_RESOURCE_TYPES,
  type AuditChange,
  CHECK_KINDS,
  DISABLED_REASONS,
  type LeftToHost,
  type NotedRequest,
  ORDERINGS,
  QUOTATION_STATUSES,
  REPLAY_STATES,
  REPLAY_STATUSES,
  SOURCES,
  TRIGGER_MODES,
  WARNING_KINDS,
} from '@quickquote/core/internal'
import { relations, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  date,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import { DEFAULT_SCHEMA } from './schema-name.ts'

const bytea = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (bytes) => Buffer.from(bytes),
})

/** Milliseconds, as in JavaScript, so that values survive a round trip. */
const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })

/** An earlier signing secret of an endpoint. */
export interface PreviousSecretJson {
  readonly key_id: string
  /** In hex. */
  readonly ciphertext: string
  readonly secret_hint: string
  readonly expires_at: string
}

function newTables(schema: string) {
  const { table } = pgSchema(schema)
  return {
    apiKeys: table('api_keys', {
      id: uuid('id').primaryKey(),
      organization_id: uuid('organization_id').notNull(),
      owner_id: text('owner_id').notNull(),
      name: text('name').notNull(),
      key_hash: bytea('key_hash').notNull().unique(),
      masked_key: text('masked_key').notNull(),
      status: text('status', { enum: ['active', 'inactive', 'revoked'] }).notNull(),
      expires_at: moment('expires_at').notNull(),
      last_used_at: moment('last_used_at'),
      replaced_by: uuid('replaced_by'),
      created_at: moment('created_at').notNull(),
      updated_at: moment('updated_at').notNull(),
    }),
    apiKeyDays: table(
      'api_key_days',
      {
        api_key_id: uuid('api_key_id').notNull(),
        day: date('day').notNull(),
        status_2xx: integer('status_2xx').notNull(),
        status_3xx: integer('status_3xx').notNull(),
        status_4xx: integer('status_4xx').notNull(),
        status_5xx: integer('status_5xx').notNull(),
      },
      ({ api_key_id, day }) => [primaryKey({ columns: [api_key_id, day] })],
    ),
    apiKeyRequests: table('api_key_requests', {
      id: uuid('id').primaryKey(),
      api_key_id: uuid('api_key_id').notNull(),
      at: moment('at').notNull(),
      requests: jsonb('requests').$type<NotedRequest[]>().notNull(),
    }),
    auditLog: table('audit_log', {
      id: uuid('id').primaryKey(),
      organization_id: uuid('organization_id').notNull(),
      actor_id: text('actor_id'),
      client_address: text('client_address'),
      action: text('action', { enum: AUDIT_ACTIONS }).notNull(),
      resource_type: text('resource_type', { enum: AUDIT_RESOURCE_TYPES }).notNull(),
      resource_id: uuid('resource_id').notNull(),
      resource_name: text('resource_name').notNull(),
      changes: jsonb('changes').$type<AuditChange[]>().notNull(),
      created_at: moment('created_at').notNull(),
    }),
    erasedOrganizations: table('erased_organizations', {
      organization_hash: bytea('organization_hash').primaryKey(),
      organization_id: uuid('organization_id').unique(),
      keeps_audit_log: boolean('keeps_audit_log').notNull(),
      removed: jsonb('removed').$type<Readonly<Record<string, number>>>().notNull().default({}),
      left_to_host: jsonb('left_to_host').$type<LeftToHost[]>(),
      requested_at: moment('requested_at').notNull(),
      finished_at: moment('finished_at'),
      open_then: text('open_then').array(),
      due_at: timestamp('due_at', { withTimezone: true }).notNull(),
    }),
    retentionFloor: table('retention_floor', {
      is_only: boolean('is_only').primaryKey().default(true),
      event_days: integer('event_days').notNull().default(30),
      audit_days: integer('audit_days').notNull().default(400),
    }),
    quotations: table('quotations', {
      id: uuid('id').primaryKey(),
      organization_id: uuid('organization_id').notNull(),
      name: text('name').notNull(),
      description: text('description').notNull(),
      status: text('status', { enum: QUOTATION_STATUSES }).notNull(),
      processed_step: text('processed_step', { enum: ['none', ...STEPS] }).notNull(),
      source: text('source', { enum: SOURCES }).notNull(),
      config_id: uuid('config_id'),
      api_key_id: uuid('api_key_id'),
      error_code: text('error_code'),
      external_id: text('external_id'),
      requirements_text: text('requirements_text'),
      metadata: jsonb('metadata').$type<Readonly<Record<string, unknown>>>(),
      traceparent: text('traceparent'),
      tracestate: text('tracestate'),
      created_at: moment('created_at').notNull(),
      updated_at: moment('updated_at').notNull(),
    }),
    quotationFiles: table('quotation_files', {
      id: uuid('id').primaryKey(),
      quotation_id: uuid('quotation_id').notNull(),
      position: smallint('position').notNull(),
      name: text('name').notNull(),
      type: text('type', { enum: ['docx', 'pdf', 'txt', 'md'] }).notNull(),
      size: bigint('size', { mode: 'number' }).notNull(),
    }),
    uploads: table('uploads', {
      id: uuid('id').primaryKey(),
      organization_id: uuid('organization_id').notNull(),
      created_at: moment('created_at').notNull(),
      received_at: moment('received_at'),
      abandoned_at: moment('abandoned_at'),
    }),
    fileChunks: table(
      'file_chunks',
      {
        file_id: uuid('file_id').notNull(),
        position: integer('position').notNull(),
        organization_id: uuid('organization_id').notNull(),
        is_last: boolean('is_last').notNull(),
        bytes: bytea('bytes').notNull(),
      },
      (columns) => [primaryKey({ columns: [columns.file_id, columns.position] })],
    ),
    idempotencyKeys: table(
      'idempotency_keys',
      {
        organization_id: uuid('organization_id').notNull(),
        key: text('key').notNull(),
        request_hash: bytea('request_hash').notNull(),
        quotation_id: uuid('quotation_id').notNull(),
        created_at: moment('created_at').notNull(),
      },
      (columns) => [primaryKey({ columns: [columns.organization_id, columns.key] })],
    ),
    quotationSteps: table(
      'quotation_steps',
      {
        quotation_id: uuid('quotation_id').notNull(),
        step: text('step', { enum: STEPS }).notNull(),
        status: text('status', { enum: ['running', 'completed', 'failed'] }).notNull(),
        started_at: moment('started_at').notNull(),
        completed_at: moment('completed_at'),
        error_code: text('error_code'),
      },
      (columns) => [primaryKey({ columns: [columns.quotation_id, columns.step] })],
    ),
    proposals: table('proposals', {
      id: uuid('id').primaryKey(),
      organization_id: uuid('organization_id').notNull(),
      quotation_id: uuid('quotation_id').notNull().unique(),
      name: text('name').notNull(),
      status: text('status', { enum: ['completed'] }).notNull(),
      document_id: uuid('document_id'),
      created_at: moment('created_at').notNull(),
      updated_at: moment('updated_at').notNull(),
    }),
    workers: table('workers', {
      id: uuid('id').primaryKey(),
      started_at: moment('started_at').notNull().defaultNow(),
      heartbeat_at: moment('heartbeat_at').notNull().defaultNow(),
      lost_after_ms: integer('lost_after_ms'),
      server_started_at: timestamp('server_started_at', { withTimezone: true }),
    }),
    pipelineStarts: table('pipeline_starts', {
      quotation_id: uuid('quotation_id').primaryKey(),
      state: text('state', { enum: ['accepted', 'handed_over', 'cancelled', 'cancelling'] })
        .notNull()
        .default('accepted'),
      due_at: moment('due_at').notNull(),
      attempt: smallint('attempt').notNull().default(0),
      leased_by: uuid('leased_by'),
      /** The quote, if it is in the host's own tables. */
      quote: jsonb('quote').$type<Omit<Quote, 'id'>>(),
    }),
    webhookEndpoints: table('webhook_endpoints', {
      id: uuid('id').primaryKey(),
      organization_id: uuid('organization_id').notNull(),
      name: text('name').notNull(),
      url: text('url').notNull(),
      description: text('description'),
      events: text('events').array().notNull(),
      trigger_mode: text('trigger_mode', { enum: TRIGGER_MODES }).notNull(),
      ordering: text('ordering', { enum: ORDERINGS }).notNull().default('none'),
      is_enabled: boolean('is_enabled').notNull(),
      /** Null once the endpoint has been deleted. */
      secret_ciphertext: bytea('secret_ciphertext'),
      secret_key_id: text('secret_key_id'),
      secret_hint: text('secret_hint').notNull(),
      disabled_reason: text('disabled_reason', { enum: DISABLED_REASONS }),
      previous_secrets: jsonb('previous_secrets').$type<PreviousSecretJson[]>().notNull().default([]),
      header_names: text('header_names').array().notNull().default([]),
      headers_ciphertext: bytea('headers_ciphertext'),
      headers_key_id: text('headers_key_id'),
      version: integer('version').notNull().default(1),
      generation: integer('generation').notNull().default(0),
      parks_before: integer('parks_before').notNull().default(0),
      caught_up_to: integer('caught_up_to').notNull().default(0),
      caught_up_until: moment('caught_up_until').notNull().default(sql`'-infinity'`),
      created_at: moment('created_at').notNull(),
      updated_at: moment('updated_at').notNull(),
      deleted_at: moment('deleted_at'),
    }),
    endpointUrls: table(
      'endpoint_urls',
      {
        endpoint_id: uuid('endpoint_id').notNull(),
        last_version: integer('last_version').notNull(),
        url: text('url').notNull(),
      },
      (columns) => [primaryKey({ columns: [columns.endpoint_id, columns.last_version] })],
    ),
    encryptionKeys: table('encryption_keys', {
      id: text('id').primaryKey(),
      check_value: bytea('check_value').notNull(),
    }),
    endpointHealth: table('endpoint_health', {
      endpoint_id: uuid('endpoint_id').primaryKey(),
      last_success_at: moment('last_success_at'),
      failing_since: moment('failing_since'),
      paused_until: moment('paused_until'),
    }),
    warnings: table('warnings', {
      id: uuid('id').primaryKey(),
      organization_id: uuid('organization_id').notNull(),
      kind: text('kind', { enum: WARNING_KINDS }).notNull(),
      subject_id: uuid('subject_id').notNull(),
      since: moment('since').notNull(),
      until: moment('until'),
      count: integer('count'),
      stage: smallint('stage'),
      attempt: smallint('attempt').notNull().default(0),
      due_at: moment('due_at'),
      created_at: moment('created_at').notNull(),
    }),
    replays: table('replays', {
      id: uuid('id').primaryKey(),
      organization_id: uuid('organization_id').notNull(),
      endpoint_id: uuid('endpoint_id').notNull(),
      state: text('state', { enum: REPLAY_STATES }).notNull(),
      since: moment('since').notNull(),
      until: moment('until').notNull(),
      status: text('status', { enum: REPLAY_STATUSES }).notNull(),
      event_type: text('event_type'),
      position_at: moment('position_at').notNull(),
      position_id: uuid('position_id').notNull(),
      examined: integer('examined').notNull().default(0),
      total: integer('total').notNull(),
      resent: integer('resent').notNull().default(0),
      waits_for: text('waits_for').array().notNull().default([]),
      created_at: moment('created_at').notNull(),
      updated_at: moment('updated_at').notNull(),
    }),
    feedFloors: table('feed_floors', {
      organization_id: uuid('organization_id').primaryKey(),
      position: bigint('position', { mode: 'number' }).notNull(),
    }),
    events: table('events', {
      id: uuid('id').primaryKey(),
      organization_id: uuid('organization_id').notNull(),
      type: text('type').notNull(),
      quotation_id: uuid('quotation_id'),
      sequence: integer('sequence'),
      body: text('body').notNull(),
      is_test: boolean('is_test').notNull().default(false),
      generation_source: text('generation_source', { enum: SOURCES }),
      feed_position: bigint('feed_position', { mode: 'number' }),
      traceparent: text('traceparent'),
      tracestate: text('tracestate'),
      created_at: moment('created_at').notNull(),
    }),
    eventSequences: table(
      'event_sequences',
      {
        organization_id: uuid('organization_id').notNull(),
        quotation_id: uuid('quotation_id').notNull(),
        last: integer('last').notNull(),
      },
      (columns) => [primaryKey({ columns: [columns.organization_id, columns.quotation_id] })],
    ),
    deliveries: table('deliveries', {
      id: uuid('id').primaryKey(),
      organization_id: uuid('organization_id').notNull(),
      endpoint_id: uuid('endpoint_id').notNull(),
      event_id: uuid('event_id').notNull(),
      event_created_at: moment('event_created_at').notNull(),
      attempt: smallint('attempt').notNull().default(0),
      generation: integer('generation').notNull().default(0),
      due_at: moment('due_at').notNull(),
      quotation_id: uuid('quotation_id'),
      sequence: integer('sequence'),
      leased_by: uuid('leased_by'),
      leased_at: moment('leased_at'),
      is_test: boolean('is_test').notNull().default(false),
      check_kind: text('check_kind', { enum: CHECK_KINDS }),
      parked_at: moment('parked_at'),
    }),
    deliveryAttempts: table(
      'delivery_attempts',
      {
        id: uuid('id').notNull(),
        delivery_id: uuid('delivery_id').notNull(),
        organization_id: uuid('organization_id').notNull(),
        endpoint_id: uuid('endpoint_id').notNull(),
        event_id: uuid('event_id').notNull(),
        event_type: text('event_type').notNull(),
        event_sequence: integer('event_sequence'),
        endpoint_version: integer('endpoint_version'),
        quotation_id: uuid('quotation_id'),
        attempt: smallint('attempt').notNull(),
        status: text('status', { enum: ATTEMPT_STATUSES }).notNull(),
        http_status: smallint('http_status'),
        error: text('error'),
        duration_ms: integer('duration_ms'),
        is_test: boolean('is_test').notNull(),
        check_kind: text('check_kind', { enum: CHECK_KINDS }),
        created_at: moment('created_at').notNull(),
        next_attempt_at: moment('next_attempt_at'),
        response_body: text('response_body'),
        response_headers: jsonb('response_headers').$type<Readonly<Record<string, string>>>(),
        header_names: text('header_names').array(),
        first_byte_ms: integer('first_byte_ms'),
      },
      (columns) => [primaryKey({ columns: [columns.delivery_id, columns.attempt] })],
    ),
    deliveryHours: table(
      'delivery_hours',
      {
        endpoint_id: uuid('endpoint_id').notNull(),
        hour: moment('hour').notNull(),
        delivered: integer('delivered').notNull(),
        failed: integer('failed').notNull(),
        given_up: integer('given_up').notNull(),
        organization_id: uuid('organization_id').notNull(),
      },
      (columns) => [primaryKey({ columns: [columns.endpoint_id, columns.hour] })],
    ),
    attemptTypes: table(
      'attempt_types',
      {
        organization_id: uuid('organization_id').notNull(),
        event_type: text('event_type').notNull(),
        last_at: moment('last_at').notNull(),
      },
      (columns) => [primaryKey({ columns: [columns.organization_id, columns.event_type] })],
    ),
    deliveryHoursCounted: table('delivery_hours_counted', {
      is_only: boolean('is_only').primaryKey().default(true),
      until: moment('until').notNull().default(sql`'-infinity'`),
    }),
  }
}

export type Tables = ReturnType<typeof newTables>

/** By SQL schema: drizzle takes milliseconds for them, and each storage needs them. */
const known = new Map<string, Tables>()

/**
 * The drizzle tables in the given SQL schema. The migrations are authoritative, and a test keeps the two in sync. Hosts
 * may use the tables in their own queries and relations, but only the storage may write. Columns are named explicitly,
 * because drizzle's `casing` option would rename them.
 */
export function createTables(schema: string = DEFAULT_SCHEMA): Tables {
  const tables = known.get(schema) ?? newTables(schema)
  known.set(schema, tables)
  return tables
}

/** The tables in the SQL schema `quickquote`. For another schema: `createTables(name)`. */
export const {
  apiKeyDays,
  apiKeyRequests,
  apiKeys,
  attemptTypes,
  auditLog,
  deliveries,
  deliveryAttempts,
  deliveryHours,
  deliveryHoursCounted,
  encryptionKeys,
  endpointHealth,
  endpointUrls,
  erasedOrganizations,
  eventSequences,
  events,
  feedFloors,
  fileChunks,
  idempotencyKeys,
  pipelineStarts,
  proposals,
  quotationFiles,
  quotations,
  quotationSteps,
  replays,
  retentionFloor,
  uploads,
  warnings,
  webhookEndpoints,
  workers,
} = createTables()

export const quotationsRelations = relations(quotations, ({ one, many }) => ({
  apiKey: one(apiKeys, { fields: [quotations.api_key_id], references: [apiKeys.id] }),
  files: many(quotationFiles),
  steps: many(quotationSteps),
  proposal: one(proposals),
}))

export const quotationFilesRelations = relations(quotationFiles, ({ one }) => ({
  quotation: one(quotations, { fields: [quotationFiles.quotation_id], references: [quotations.id] }),
}))

export const quotationStepsRelations = relations(quotationSteps, ({ one }) => ({
  quotation: one(quotations, { fields: [quotationSteps.quotation_id], references: [quotations.id] }),
}))

export const proposalsRelations = relations(proposals, ({ one }) => ({
  quotation: one(quotations, { fields: [proposals.quotation_id], references: [quotations.id] }),
}))

export const webhookEndpointsRelations = relations(webhookEndpoints, ({ one, many }) => ({
  health: one(endpointHealth),
  attempts: many(deliveryAttempts),
}))

export const endpointHealthRelations = relations(endpointHealth, ({ one }) => ({
  endpoint: one(webhookEndpoints, {
    fields: [endpointHealth.endpoint_id],
    references: [webhookEndpoints.id],
  }),
}))

export const deliveryAttemptsRelations = relations(deliveryAttempts, ({ one }) => ({
  endpoint: one(webhookEndpoints, {
    fields: [deliveryAttempts.endpoint_id],
    references: [webhookEndpoints.id],
  }),
  quotation: one(quotations, { fields: [deliveryAttempts.quotation_id], references: [quotations.id] }),
}))
