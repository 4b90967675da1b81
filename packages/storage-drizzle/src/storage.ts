import { ConfigurationError, type Storage } from '@quickquote/core'
import { lazily } from '@quickquote/core/internal'
import { apiKeyStorage } from './api-keys/api-keys.ts'
import { connect } from './connection/connect.ts'
import { type Connection, createDatabase, type Database, unhurried } from './connection/database.ts'
import type { Driver } from './connection/driver.ts'
import type { HostTransaction } from './connection/host-transaction.ts'
import { callGuard, type Guard, MIGRATE_COMMAND, withStorageErrors } from './connection/storage-error.ts'
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
  checkOptions(options)
  const { schema = DEFAULT_SCHEMA, prepare = true, callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS } = options
  const { driver, ready } = connect(options)
  const waker = createWaker(driver, schema)
  const connection: Connection = { driver, schema, prepare, waker, callTimeoutMs }
  const unlimited: Guard = async (call) => {
    await ready()
    return call()
  }
  const guard = callGuard(ready, callTimeoutMs)
  const database = createDatabase(connection)
  const care = careOf(driver, schema, options.anyEngine)
  const inspection = inspectionStorage(database, { driver, schema, checkEngine: care.checkFirst })
  const whole = {
    waker,
    batches: withStorageErrors('erasure', batchErasing(unhurried(connection)), unlimited),
    retention: withStorageErrors('retention', retentionStorage(connection), unlimited),
    inspection: withStorageErrors('inspection', inspection, guard),
  }
  const storage = storageOn(database, whole, guard)
  const { check } = withStorageErrors('database', { check: care.check }, guard)
  let isChecked = false
  return {
    ...storage,
    ...withStorageErrors('database', care.methods, unlimited),
    workers: {
      ...storage.workers,
      // A worker's first call.
      async heartbeat(...worker) {
        if (!isChecked) await check()
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

const DEFAULT_CALL_TIMEOUT_MS = 6000

/** Parts that always use their own connections, outside the host's transactions. */
interface OnWholeDatabase extends Pick<Storage, 'retention' | 'inspection'> {
  readonly waker: Pick<Waker, 'listen' | 'share'>
  readonly batches: BatchErasing
}

/** All parts of the storage, on our own connections or bound to a transaction, which does not have our timeouts. */
function storageOn(database: Database, whole: OnWholeDatabase, guard?: Guard): Storage<HostTransaction> {
  const part = <T extends object>(noun: string, methods: T) => withStorageErrors(noun, methods, guard)
  const { waker, retention, inspection, batches } = whole
  const { listen, share } = waker
  const ports = lazily<Ports>({
    apiKeys: () => part('apiKeys', apiKeyStorage(database)),
    auditLog: () => part('auditLog', auditStorage(database)),
    quotations: () => part('quotations', quotationStorage(database)),
    pipelineStarts: () => part('pipelineStarts', pipelineStartStorage(database)),
    uploads: () => part('uploads', uploadStorage(database)),
    files: () => fileStorage(database, guard),
    webhookEndpoints: () => part('webhookEndpoints', webhookEndpointStorage(database)),
    signingSecrets: () => part('signingSecrets', signingSecretStorage(database)),
    endpointHealth: () => part('endpointHealth', endpointHealthStorage(database)),
    warnings: () => part('warnings', warningStorage(database)),
    events: () => part('events', eventStorage(database)),
    eventFeed: () => part('eventFeed', eventFeedStorage(database)),
    deliveries: () => part('deliveries', deliveryStorage(database)),
    deliveryLog: () => part('deliveryLog', deliveryLogStorage(database)),
    replays: () => part('replays', replayStorage(database)),
    testDeliveries: () => part('testDeliveries', testDeliveryStorage(database)),
    workers: () => ({ ...part('workers', workerStorage(database)), listen, share }),
    clock: () => part('clock', clockStorage(database)),
    telemetry: () => part('telemetry', telemetryStorage(database)),
    exports: () => part('exports', exportStorage(database)),
    erasure: () => ({ ...part('erasure', erasureStorage(database)), ...batches }),
  })
  return Object.assign(ports, {
    retention,
    inspection,
    ...part('storage', {
      transaction: <T>(work: (storage: Storage<HostTransaction>) => Promise<T>) =>
        database.transaction((bound) => work(storageOn(bound, whole))),
    }),
    within: (given: HostTransaction, options?: { readonly notify?: boolean }) =>
      storageOn(database.within(given, options), whole),
    // A bound storage has nothing to close.
    async close() {},
  })
}

/** Created for each transaction. */
type Ports = Omit<Storage, 'retention' | 'inspection' | 'transaction' | 'within' | 'close'>

function careOf(driver: Driver, schema: string, anyEngine = false) {
  // First: a look-alike may lack what the others read.
  const checkFirst = async () => {
    if (!anyEngine) await checkEngine(driver)
  }
  async function check() {
    await checkFirst()
    await checkDatabase(driver, schema)
  }
  const methods: DatabaseCare = {
    migrate: () => checkFirst().then(() => migrate(driver, schema)),
    migrationStatus: () => migrationStatus(driver, schema),
    migrationPlan: () => checkFirst().then(() => migrationPlan(driver, schema)),
    async requireMigrated() {
      await check()
      const { pending } = await migrationStatus(driver, schema)
      if (pending.length > 0) {
        const option = schema === DEFAULT_SCHEMA ? '' : ` --schema ${schema}`
        throw new ConfigurationError(
          `The database lacks the migrations ${pending.join(', ')}. With DATABASE_URL set, run ` +
            `\`${MIGRATE_COMMAND}${option}\`, or call \`await storage.migrate()\` first.`,
        )
      }
    },
  }
  return { checkFirst, check, methods }
}
