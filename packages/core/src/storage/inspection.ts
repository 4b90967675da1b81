import type { EncryptedSecret } from '../lib/keyring.ts'

/** A secret for testing an encryption key. */
interface SampleSecret extends EncryptedSecret {
  readonly endpoint_id: string
  /** The number of secrets encrypted with this key. */
  readonly secrets: number
}

/** The state of the database, for diagnosis. */
interface DatabaseFacts {
  /** The server version, such as `18.4`. */
  readonly version: string
  /** A standby, or a database set to read-only. */
  readonly is_read_only: boolean
  readonly role: string
  readonly is_owner: boolean
  /** Missing rights, such as `insert on events`. */
  readonly missing_grants: readonly string[]
  /** Whether no right to read is among them. */
  readonly may_read: boolean
  /** The minimum days of history that the owner of the database has set. Null: the table does not exist. */
  readonly history_floor_days: number | null
}

/** Inspects the database without changing it. */
export interface InspectionStorage {
  readFacts(): Promise<DatabaseFacts>
  /**
   * The names of missing migrations.
   * @throws ConfigurationError if a newer version has migrated the database, or its settings make it unusable
   */
  findPendingMigrations(): Promise<readonly string[]>
  /** One secret per encryption key in use. */
  sampleSecrets(): Promise<readonly SampleSecret[]>
  /** Counts workers with and without a heartbeat in the last `silentForMs` milliseconds. */
  countWorkers(silentForMs: number): Promise<{ alive: number; silent: number }>
  /** Counts erased organizations that have waited longer than `ms` for transactions which began before. */
  countSweeping(ms: number): Promise<number>
  /** Whether notifications arrive. */
  hearsNotifications(withinMs: number): Promise<boolean>
}
