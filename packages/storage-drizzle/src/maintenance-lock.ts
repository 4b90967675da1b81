import type postgres from 'postgres'

/** Until the transaction ends, no other process migrates this SQL schema or makes its partitions. */
export async function lockMaintenance(transaction: postgres.ISql, schema: string): Promise<void> {
  await transaction.unsafe('select pg_advisory_xact_lock(hashtextextended($1::text, 0))', [
    `${schema} maintenance`,
  ])
}
