/**
 * The statement after which, until the transaction ends, no other process migrates this SQL schema or makes its
 * partitions. The lock belongs to the transaction, so it works behind a pooler, and no dead process keeps it.
 */
export function maintenanceLock(schema: string): string {
  return `select pg_advisory_xact_lock(hashtextextended('${schema} maintenance', 0));`
}
