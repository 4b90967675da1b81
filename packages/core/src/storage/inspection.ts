import type { EncryptedSecret } from '../lib/keyring.ts'

/** A secret that an encryption key has to decrypt, so that the key can be tried. */
export interface SampleSecret extends EncryptedSecret {
  readonly endpoint_id: string
  /** How many secrets the same key encrypts. */
  readonly secrets: number
}

/** The state of the database, for somebody who looks for what is wrong. */
export interface DatabaseFacts {
  /** The version of the server, such as `18.4`. */
  readonly version: string
  /** Nothing can be written: a standby, or a database that was set so. */
  readonly is_read_only: boolean
  readonly role: string
  readonly is_owner: boolean
  /** Rights that the role lacks, such as `insert on events`. */
  readonly missing_grants: readonly string[]
  /** Days of history that the owner of the database keeps whatever the options say. Null: the table is not there. */
  readonly history_floor_days: number | null
  /** Days ahead for which events have a table of their own. */
  readonly days_ahead: number
}

/** Answers questions about the database. Changes nothing. */
export interface InspectionStorage {
  readFacts(): Promise<DatabaseFacts>
  /**
   * The names of migrations that are missing.
   * @throws ConfigurationError when a newer version has migrated the database, or its settings make it unusable
   */
  findPendingMigrations(): Promise<readonly string[]>
  /** One secret for each encryption key that the data needs. */
  sampleSecrets(): Promise<readonly SampleSecret[]>
  /** How many workers have given a sign of life within the last `silentForMs` milliseconds, and how many have not. */
  countWorkers(silentForMs: number): Promise<{ alive: number; silent: number }>
  /** Whether a notification arrives where it is listened for. */
  hearsNotifications(withinMs: number): Promise<boolean>
}
