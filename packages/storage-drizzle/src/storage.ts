import { ConfigurationError, type Storage } from '@quickquote/core'
import { apiKeyStorage } from './api-keys/api-keys.ts'
import { type Call, type Calls, createCalls, plainCall } from './connection/call.ts'
import { connect } from './connection/connect.ts'
import type { Connected } from './connection/connection.ts'
import { type Connection, createDatabase, type Database, unhurried } from './connection/database.ts'
import type { HostTransaction } from './connection/host-transaction.ts'
import { MIGRATE_COMMAND } from './connection/storage-error.ts'
import { createWaker, type Waker } from './connection/wake.ts'
import { deliveryStorage } from './deliveries/deliveries.ts'
import { deliveryLogStorage } from './deliveries/delivery-log.ts'
import { eventFeedStorage } from './deliveries/event-feed.ts'
import { eventStorage } from './deliveries/events.ts'
import { replayStorage } from './deliveries/replays.ts'
import { testDeliveryStorage } from './deliveries/test-deliveries.ts'
import { endpointHealthStorage } from './endpoints/endpoint-health.ts'
import { signingSecretStorage } from './endpoints/signing-secrets.ts'
import { webhookEndpointStorage } from './endpoints/webhook-endpoints.ts'
import { checkDatabase, checkEngine } from './migrations/database-check.ts'
import { type MigrationStatus, migrate, migrationPlan, migrationStatus } from './migrations/migrate.ts'
import { checkOptions, type StorageOptions } from './options.ts'
import { auditStorage } from './organizations/audit-log.ts'
import { type BatchErasing, batchErasing, erasureStorage } from './organizations/erasure.ts'
import { exportStorage } from './organizations/export.ts'
import { fileStorage, uploadStorage } from './quotations/files.ts'
import { pipelineStartStorage } from './quotations/pipeline-starts.ts'
import { quotationStorage } from './quotations/quotations.ts'
import { DEFAULT_SCHEMA } from './schema-name.ts'
import { inspectionStorage } from './workers/inspection.ts'
import { retentionStorage } from './workers/retention.ts'
import { telemetryStorage } from './workers/telemetry.ts'
import { warningStorage } from './workers/warnings.ts'
import { clockStorage, workerStorage } from './workers/workers.ts'

/** Migrates and checks the database. */
export interface DatabaseCare {
  /**
   * Applies pending migrations: call it at startup or when you deploy. Safe to run in any number of processes at once.
   * @throws ConfigurationError if a newer version has migrated the database, an applied migration was edited, the SQL
   * schema was renamed, the database is not UTF8 or only resembles PostgreSQL, row-level security hides our rows, or
   * transactions do not begin as `read committed`
   */
  migrate(): Promise<MigrationStatus>
  /** Returns applied and pending migrations. Throws like `migrate`. */
  migrationStatus(): Promise<MigrationStatus>
  /**
   * The SQL that `migrate` would run now, including bookkeeping, so that someone else can apply it in one go; null if
   * nothing is pending. Changes nothing. Throws like `migrate`.
   */
  migrationPlan(): Promise<string | null>
  /**
   * For a host that migrates when it deploys: call it at startup.
   * @throws ConfigurationError if migrations are pending, with the command to run; otherwise like `migrate`
   */
  requireMigrated(): Promise<void>
}

/** The PostgreSQL storage, and its migrations. */
export interface DrizzleStorage extends Storage<HostTransaction>, DatabaseCare {}

/**
 * Creates the PostgreSQL storage. Connects at first use.
 * @throws ConfigurationError for an option that is missing or invalid
 */
export function drizzleStorage(options: StorageOptions): DrizzleStorage {
  const { schema, prepare, callTimeoutMs } = checkOptions(options)
  const connected = connect(options)
  const { driver, ready } = connected
  const waker = createWaker(driver, schema)
  const calls = createCalls(ready, callTimeoutMs)
  const connection: Connection = { driver, schema, prepare, waker, calls, callTimeoutMs }
  const database = createDatabase(connection)
  const care = careOf(connected, schema, options.anyEngine)
  const storage = storageOn(database, {
    waker,
    calls,
    batches: batchErasing(unhurried(connection)),
    retention: retentionStorage(connection),
    inspection: inspectionStorage(database, { driver, schema, checkEngine: care.checkEngineFirst }),
  })
  let isChecked = false
  return {
    ...storage,
    ...care.methods,
    workers: {
      ...storage.workers,
      // A worker's first call.
      async heartbeat(...worker) {
        if (!isChecked) await database.call('database.check', care.check)
        isChecked = true
        return storage.workers.heartbeat(...worker)
      },
    },
    async close() {
      await waker.close()
      await driver.end()
    },
  }
}

/** What always uses connections of our own, outside the host's transactions. */
interface OnOwnConnections extends Pick<Storage, 'retention' | 'inspection'> {
  readonly waker: Pick<Waker, 'listen' | 'share'>
  readonly calls: Pick<Calls, 'watch'>
  readonly batches: BatchErasing
}

/** All ports of the storage, on our own connections or in a transaction. */
function storageOn(database: Database, own: OnOwnConnections): Storage<HostTransaction> {
  const { waker, calls, batches, retention, inspection } = own
  const storage: Storage<HostTransaction> = {
    apiKeys: apiKeyStorage(database),
    auditLog: auditStorage(database),
    quotations: quotationStorage(database),
    pipelineStarts: pipelineStartStorage(database),
    uploads: uploadStorage(database),
    files: fileStorage(database),
    webhookEndpoints: webhookEndpointStorage(database),
    signingSecrets: signingSecretStorage(database),
    endpointHealth: endpointHealthStorage(database),
    warnings: warningStorage(database),
    events: eventStorage(database),
    eventFeed: eventFeedStorage(database),
    deliveries: deliveryStorage(database),
    deliveryLog: deliveryLogStorage(database),
    replays: replayStorage(database),
    testDeliveries: testDeliveryStorage(database),
    workers: workerStorage(database, waker),
    clock: clockStorage(database),
    telemetry: telemetryStorage(database),
    exports: exportStorage(database),
    erasure: erasureStorage(database, batches),
    retention,
    inspection,
    transaction: (work) =>
      database.call('storage.transaction', () =>
        database.transaction((bound) => work(bound === database ? storage : storageOn(bound, own))),
      ),
    within: (given, options) => storageOn(database.within(given, options), own),
    watch: calls.watch,
    // A bound storage has nothing to close.
    async close() {},
  }
  return storage
}

/** Migrates and checks without a timeout: the host waits for it. */
function careOf({ driver, ready }: Connected, schema: string, anyEngine = false) {
  const call: Call = (name, work) => plainCall(name, () => ready().then(work))

  // First: a look-alike may lack what the others read.
  async function checkEngineFirst() {
    if (!anyEngine) await checkEngine(driver)
  }

  async function check() {
    await checkEngineFirst()
    await checkDatabase(driver, schema)
  }

  const methods: DatabaseCare = {
    migrate: () =>
      call('database.migrate', async () => {
        await checkEngineFirst()
        return migrate(driver, schema)
      }),

    migrationStatus: () => call('database.migrationStatus', () => migrationStatus(driver, schema)),

    migrationPlan: () =>
      call('database.migrationPlan', async () => {
        await checkEngineFirst()
        return migrationPlan(driver, schema)
      }),

    requireMigrated: () =>
      call('database.requireMigrated', async () => {
        await check()
        const { pending } = await migrationStatus(driver, schema)
        if (pending.length > 0) {
          const option = schema === DEFAULT_SCHEMA ? '' : ` --schema ${schema}`
          throw new ConfigurationError(
            `The database lacks the migrations ${pending.join(', ')}. With DATABASE_URL set, run ` +
              `\`${MIGRATE_COMMAND}${option}\`, or call \`await storage.migrate()\` first.`,
          )
        }
      }),
  }
  return { checkEngineFirst, check, methods }
}
