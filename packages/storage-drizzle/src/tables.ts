import { ATTEMPT_STATUSES, QUOTATION_STATUSES, SOURCES, STEPS, TRIGGER_MODES } from '@quickquote/core'
import { type SQL, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  integer,
  pgSchema,
  primaryKey,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'

/** The SQL schema that is used unless the host names another. */
export const DEFAULT_SCHEMA = 'quickquote'

/** Drivers read `bytea` as bytes or as hex, and all of them take a Buffer. */
const bytea = customType<{ data: Uint8Array; driverData: Buffer | string }>({
  dataType: () => 'bytea',
  toDriver: (bytes) => Buffer.from(bytes),
  fromDriver: (value) => (typeof value === 'string' ? Buffer.from(value.slice(2), 'hex') : value),
})

/**
 * A JSON object. postgres.js serializes what it sends as `jsonb`, drizzle's own column type has done so before, and the
 * row would then hold a JSON string: sent as text and cast by PostgreSQL, it is encoded once with every driver.
 */
const jsonObject = customType<{
  data: Readonly<Record<string, unknown>>
  driverData: string | Readonly<Record<string, unknown>>
}>({
  dataType: () => 'jsonb',
  toDriver: (value): SQL => sql`${JSON.stringify(value)}::text::jsonb`,
  fromDriver: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
})

/** Milliseconds, as JavaScript has them: what is read back equals what was written. */
const moment = () => timestamp({ withTimezone: true, precision: 3 })

/**
 * The tables for drizzle, in the SQL schema of the given name. The migrations decide what the database looks like, and
 * a test keeps the two alike. Hosts may use them for queries of their own; every write belongs to the storage.
 */
export function createTables(schema: string = DEFAULT_SCHEMA) {
  const { table } = pgSchema(schema)
  return {
    apiKeys: table('api_keys', {
      id: uuid().primaryKey(),
      organization_id: uuid().notNull(),
      owner_id: text().notNull(),
      name: text().notNull(),
      key_hash: bytea().notNull().unique(),
      masked_key: text().notNull(),
      status: text({ enum: ['active', 'inactive', 'revoked'] }).notNull(),
      expires_at: moment().notNull(),
      last_used_at: moment(),
      created_at: moment().notNull(),
      updated_at: moment().notNull(),
    }),
    quotations: table('quotations', {
      id: uuid().primaryKey(),
      organization_id: uuid().notNull(),
      name: text().notNull(),
      description: text().notNull(),
      status: text({ enum: QUOTATION_STATUSES }).notNull(),
      processed_step: text({ enum: ['none', ...STEPS] }).notNull(),
      source: text({ enum: SOURCES }).notNull(),
      config_id: uuid(),
      api_key_id: uuid(),
      error_code: text(),
      requirements_text: text(),
      metadata: jsonObject(),
      created_at: moment().notNull(),
      updated_at: moment().notNull(),
    }),
    quotationFiles: table('quotation_files', {
      id: uuid().primaryKey(),
      quotation_id: uuid().notNull(),
      position: smallint().notNull(),
      name: text().notNull(),
      type: text({ enum: ['docx', 'pdf', 'txt', 'md'] }).notNull(),
      size: bigint({ mode: 'number' }).notNull(),
    }),
    quotationSteps: table(
      'quotation_steps',
      {
        quotation_id: uuid().notNull(),
        step: text({ enum: STEPS }).notNull(),
        status: text({ enum: ['running', 'completed', 'failed'] }).notNull(),
        started_at: moment().notNull(),
        completed_at: moment(),
        error_code: text(),
      },
      (columns) => [primaryKey({ columns: [columns.quotation_id, columns.step] })],
    ),
    proposals: table('proposals', {
      id: uuid().primaryKey(),
      organization_id: uuid().notNull(),
      quotation_id: uuid().notNull().unique(),
      name: text().notNull(),
      status: text({ enum: ['completed'] }).notNull(),
      document_id: uuid(),
      created_at: moment().notNull(),
      updated_at: moment().notNull(),
    }),
    workers: table('workers', {
      id: uuid().primaryKey(),
      started_at: moment().notNull().defaultNow(),
      heartbeat_at: moment().notNull().defaultNow(),
    }),
    pipelineStarts: table('pipeline_starts', {
      quotation_id: uuid().primaryKey(),
      due_at: moment().notNull(),
      attempt: smallint().notNull().default(0),
      leased_by: uuid(),
    }),
    webhookEndpoints: table('webhook_endpoints', {
      id: uuid().primaryKey(),
      organization_id: uuid().notNull(),
      name: text().notNull(),
      url: text().notNull(),
      description: text(),
      events: text().array().notNull(),
      trigger_mode: text({ enum: TRIGGER_MODES }).notNull(),
      is_enabled: boolean().notNull(),
      secret_ciphertext: bytea().notNull(),
      secret_key_id: text().notNull(),
      secret_hint: text().notNull(),
      version: integer().notNull().default(1),
      created_at: moment().notNull(),
      updated_at: moment().notNull(),
      deleted_at: moment(),
    }),
    events: table(
      'events',
      {
        id: uuid().notNull(),
        organization_id: uuid().notNull(),
        type: text().notNull(),
        quotation_id: uuid(),
        body: text().notNull(),
        created_at: moment().notNull(),
      },
      (columns) => [primaryKey({ columns: [columns.id, columns.created_at] })],
    ),
    deliveries: table('deliveries', {
      id: uuid().primaryKey(),
      organization_id: uuid().notNull(),
      endpoint_id: uuid().notNull(),
      event_id: uuid().notNull(),
      event_created_at: moment().notNull(),
      attempt: smallint().notNull().default(0),
      due_at: moment().notNull(),
      leased_by: uuid(),
      leased_at: moment(),
      is_test: boolean().notNull().default(false),
      parked_at: moment(),
    }),
    deliveryAttempts: table(
      'delivery_attempts',
      {
        id: uuid().notNull(),
        delivery_id: uuid().notNull(),
        organization_id: uuid().notNull(),
        endpoint_id: uuid().notNull(),
        event_id: uuid().notNull(),
        event_type: text().notNull(),
        quotation_id: uuid(),
        attempt: smallint().notNull(),
        status: text({ enum: ATTEMPT_STATUSES }).notNull(),
        http_status: smallint(),
        error: text(),
        duration_ms: integer(),
        is_test: boolean().notNull(),
        created_at: moment().notNull(),
        next_attempt_at: moment(),
      },
      (columns) => [primaryKey({ columns: [columns.id, columns.created_at] })],
    ),
  }
}

export type Tables = ReturnType<typeof createTables>
