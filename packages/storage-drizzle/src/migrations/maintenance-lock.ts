/**
 * Until the transaction ends, no other process can migrate this SQL schema or create its partitions. The lock belongs
 * to the transaction, so it works behind a pooler, and a dead process cannot keep it.
 */
export function maintenanceLock(schema: string): string {
  return `select pg_advisory_xact_lock(hashtextextended('${schema} maintenance', 0));`
}
